"""The other direction of check.py: files that other programs write, in their variants, and what the example `read_back` reads
from them.

Each entry of FILES writes the heights that it is given and says what must come back: the same heights, something else, or a
refusal with certain words. Each is written again with one height changed, and the comparison has to fail then.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter

FILES = []


def file(program, name, what, *options, refused=None, cell=None, notice=None, tolerance=0.0, same=None):
    """`refused`: words of the refusal; `notice`: words of a notice; `same`: what becomes of the heights."""

    def add(function):
        FILES.append((program, name, what, options, refused, cell, notice, tolerance, same, function))
        return function

    return add


def heights():
    """High in the north-west, partly below 0 m, 48 by 30; eighths."""
    import numpy

    row, col = numpy.mgrid[0:30, 0:48]
    east, south = col / 48, row / 30
    h = 90 * (1 - east) * (1 - south) - 25 * east + (col * 7 + row * 13) % 5
    return (numpy.round(h * 8) / 8).astype("float32")


CORNER = (431000.0, 5412000.0)


def gdal(path, values, driver="GTiff", crs="EPSG:32611", cell=2.5, bands=None, then=None, **how):
    """Writes by GDAL; `then` may change the open file."""
    import rasterio
    from rasterio.transform import from_origin

    layers = bands if bands is not None else [values]
    place = from_origin(CORNER[0], CORNER[1] + cell * values.shape[0], cell, cell)
    if crs == "EPSG:4326":
        place = from_origin(-118.3, 34.4, cell, cell)
    profile = dict(driver=driver, height=values.shape[0], width=values.shape[1], count=len(layers), dtype=layers[0].dtype)
    with rasterio.open(path, "w", crs=crs, transform=place, **profile, **how) as out:
        for number, layer in enumerate(layers, 1):
            out.write(layer, number)
        if then:
            then(out)


def whole(values):
    import numpy

    return numpy.round(values)


def raised(values):
    return whole(values) + 100


NUMBERS = "whole numbers of 8 to 32 bits and floats of 64, plain, deflate, LZW, PackBits, ZSTD; strips and tiles, predictors"

for kind, make in [("int16", whole), ("int32", whole), ("uint8", raised), ("uint16", raised), ("uint32", raised), ("float64", None)]:
    for packing in ["none", "deflate", "lzw", "packbits", "zstd"]:
        predictor = {} if packing in ("none", "packbits") else {"predictor": 3 if kind == "float64" else 2}
        tiled = {"tiled": True, "blockxsize": 16, "blockysize": 16} if packing in ("deflate", "zstd") else {}

        def write(path, h, kind=kind, make=make, packing=packing, predictor=predictor, tiled=tiled):
            gdal(path, (make(h) if make else h).astype(kind), compress=packing, **predictor, **tiled)

        file("rasterio", f"{kind}_{packing}.tif", NUMBERS, cell=2.5, same=make)(write)


@file("rasterio", "f32_lzw.tif", "float32, predictor 3, tiles, BigTIFF, high byte first", cell=2.5)
def f32(path, h):
    gdal(path, h, compress="lzw", predictor=3, tiled=True, blockxsize=32, blockysize=16, BIGTIFF="YES", ENDIANNESS="BIG")


@file("rasterio", "f16.tif", "floats of 16 bits", cell=2.5)
def f16(path, h):
    gdal(path, h, nbits=16, compress="deflate", predictor=3)


@file("rasterio", "cog.tif", "cloud optimised, with overviews", cell=2.5)
def cog(path, h):
    gdal(path, h, driver="COG", compress="zstd", overviews="AUTO", blocksize=128)


def holed(h):
    """As `convert` fills them: what surrounds a hole, about."""
    return h


def with_hole(path, h, value, **how):
    import numpy

    values = h.copy()
    values[11, 17] = value
    gdal(path, values, **how)


@file("rasterio", "nodata.tif", "a nodata tag: filled from the surroundings, within 15 m", cell=2.5, notice="1 of 1440 cells", tolerance=15.0)
def nodata(path, h):
    with_hole(path, h, -9999, nodata=-9999)


@file("rasterio", "mask.tif", "a mask inside, 12345 below it: filled, within 15 m", cell=2.5, notice="1 of 1440 cells", tolerance=15.0)
def mask(path, h):
    import rasterio

    def cover(out):
        import numpy

        seen = numpy.full(h.shape, 255, "uint8")
        seen[11, 17] = 0
        out.write_mask(seen)

    with rasterio.Env(GDAL_TIFF_INTERNAL_MASK=True):
        with_hole(path, h, 12345, then=cover)


@file("rasterio", "scale.tif", "scale 0.125 and offset -100", cell=2.5, notice="times 0.125")
def scale(path, h):
    def tell(out):
        out.scales, out.offsets = (0.125,), (-100.0,)

    gdal(path, ((h + 100) * 8).astype("int16"), then=tell)


@file("rasterio", "white.tif", "0 is white: read by its numbers", cell=2.5, same=raised, notice="0 is white")
def white(path, h):
    gdal(path, raised(h).astype("uint16"), photometric="MINISWHITE")


@file("rasterio", "feet.tif", "heights in US survey feet by the vertical system", cell=2.5, notice="feet", tolerance=1e-4)
def feet(path, h):
    gdal(path, (h / (1200 / 3937)).astype("float32"), crs="EPSG:32611+6360")


@file("rasterio", "bands.tif", "three bands, none of them named", refused="--band")
def bands(path, h):
    gdal(path, h, bands=[h, h + 1, h + 2])


@file("rasterio", "second.tif", "band 2 of three, each for itself", "band=2", cell=2.5)
def second(path, h):
    gdal(path, h, bands=[h + 1, h, h + 2], interleave="band", compress="deflate")


@file("rasterio", "grey.tif", "red, green and blue that are the same", cell=2.5, same=raised)
def grey(path, h):
    layer = raised(h).astype("uint16")
    gdal(path, layer, bands=[layer] * 3, photometric="RGB")


@file("rasterio", "degrees.tif", "degrees, unasked", refused="--utm")
def degrees(path, h):
    gdal(path, h, crs="EPSG:4326", cell=1 / 3600)


@file("rasterio", "oblong.tif", "cells oblong by a tenth", refused="2.5 m to the east")
def oblong(path, h):
    from rasterio.transform import from_origin

    def bend(out):
        out.transform = from_origin(*CORNER, 2.5, 2.75)

    gdal(path, h, then=bend)


@file("rasterio", "turned.tif", "a grid turned by 10 degrees", refused="turned")
def rotated(path, h):
    from affine import Affine

    def bend(out):
        out.transform = Affine.translation(*CORNER) * Affine.rotation(10) * Affine.scale(2.5, -2.5)

    gdal(path, h, then=bend)


for name, kind in [("jpeg", "uint8"), ("lerc", "float32"), ("lzma", "float32")]:

    def write(path, h, name=name, kind=kind):
        gdal(path, raised(h).astype(kind), compress=name)

    file("rasterio", f"{name}.tif", "packed by JPEG, LERC, LZMA", refused=name.upper())(write)


@file("rasterio", "height.asc", "ESRI ASCII grid, with its .prj", cell=2.5, tolerance=1e-4)
def ascii_grid(path, h):
    gdal(path, h, driver="AAIGrid")


@file("rasterio", "world.png", "16-bit PNG with a world file", cell=2.5, same=raised, notice="says where it lies")
def world(path, h):
    gdal(path, raised(h).astype("uint16"), driver="PNG", worldfile="YES")


@file("rasterio", "N34W119.hgt", "SRTM, laid out in metres", "utm=1", same=lambda h: None, notice="UTM zone 11N")
def srtm(path, h):
    import numpy
    import rasterio
    from rasterio.transform import from_origin

    big = numpy.kron(whole(h).astype("int16"), numpy.ones((41, 26), "int16"))[:1201, :1201]
    place = from_origin(-119 - 0.5 / 1200, 35 + 0.5 / 1200, 1 / 1200, 1 / 1200)
    profile = dict(driver="SRTMHGT", height=1201, width=1201, count=1, dtype="int16")
    with rasterio.open(path, "w", crs="EPSG:4326", transform=place, **profile) as out:
        out.write(big, 1)


# OpenImageIO.


def oiio(path, layers, names, kind="float", **attributes):
    import numpy
    import OpenImageIO

    pixels = numpy.stack(layers, -1)
    spec = OpenImageIO.ImageSpec(pixels.shape[1], pixels.shape[0], pixels.shape[2], kind)
    spec.channelnames = names
    for name, value in attributes.items():
        spec.attribute(name.replace("_", ":") if name.startswith(("oiio_", "tiff_", "png_")) else name, value)
    if "tile" in attributes:
        spec.tile_width = spec.tile_height = 16
    out = OpenImageIO.ImageOutput.create(path)
    assert out.open(path, spec), out.geterror()
    assert out.write_image(numpy.ascontiguousarray(pixels)), out.geterror()
    out.close()


for packing in ["none", "rle", "zip", "zips", "piz"]:
    for kind in ["float", "half"]:

        def write(path, h, packing=packing, kind=kind):
            oiio(path, [h], ["Y"], kind, compression=packing)

        file("OpenImageIO", f"{kind}_{packing}.exr", "floats of 32 and 16 bits, plain, RLE, ZIP, ZIPS, PIZ")(write)


@file("OpenImageIO", "pxr24.exr", "pxr24, which keeps 24 bits, within 1 cm", tolerance=0.01)
def pxr24(path, h):
    oiio(path, [h], ["Y"], "float", compression="pxr24")


@file("OpenImageIO", "tiles.exr", "tiles", )
def exr_tiles(path, h):
    oiio(path, [h], ["height"], "float", compression="zip", tile=1)


@file("OpenImageIO", "elevation.exr", "one channel of another name")
def elevation(path, h):
    oiio(path, [h], ["dem.elevation"], "float")


@file("OpenImageIO", "colours.exr", "red, green and blue that differ: red, with a notice", notice="R is read")
def colours(path, h):
    oiio(path, [h, h + 1, h + 2], ["R", "G", "B"])


@file("OpenImageIO", "named.exr", "a channel asked for by its name", "band=wear")
def named(path, h):
    oiio(path, [h + 1, h], ["Y", "wear"])


@file("OpenImageIO", "parts.exr", "the part named height, behind another", notice="part 2 (height) of 2")
def parts(path, h):
    import numpy
    import OpenImageIO

    specs = []
    for name in ["mask", "height"]:
        spec = OpenImageIO.ImageSpec(h.shape[1], h.shape[0], 1, "float")
        spec.channelnames = ["Y"]
        spec.attribute("oiio:subimagename", name)
        specs.append(spec)
    out = OpenImageIO.ImageOutput.create(path)
    assert out.open(path, specs), out.geterror()
    out.write_image(numpy.ascontiguousarray((h * 0 + 1)[..., None]))
    out.open(path, specs[1], "AppendSubimage")
    out.write_image(numpy.ascontiguousarray(h[..., None]))
    out.close()


@file("OpenImageIO", "window.exr", "data in a part of the picture", notice="of a picture of")
def window(path, h):
    import numpy
    import OpenImageIO

    spec = OpenImageIO.ImageSpec(h.shape[1], h.shape[0], 1, "float")
    spec.channelnames = ["Y"]
    spec.x, spec.y, spec.full_width, spec.full_height = 5, 3, 64, 64
    out = OpenImageIO.ImageOutput.create(path)
    assert out.open(path, spec), out.geterror()
    out.write_image(numpy.ascontiguousarray(h[..., None]))
    out.close()


@file("OpenImageIO", "half.tif", "TIFF of floats of 16 bits")
def half_tiff(path, h):
    oiio(path, [h], ["Y"], "half")


@file("OpenImageIO", "f64.tif", "TIFF of floats of 64 bits, tiles")
def double_tiff(path, h):
    oiio(path, [h.astype("float64")], ["Y"], "double", tile=1)


@file("OpenImageIO", "height.pfm", "PFM", )
def pfm(path, h):
    oiio(path, [h], ["Y"], "float")


def codes(values, bits):
    """Shares of the range that OpenImageIO makes codes of."""
    return raised(values).astype("uint16" if bits == 16 else "uint8")


for bits in [8, 16]:

    def write(path, h, bits=bits):
        oiio(path, [codes(h, bits)], ["Y"], f"uint{bits}", **{"oiio:ColorSpace": "sRGB"})

    word = "8-bit heights" if bits == 8 else "metres"
    file("OpenImageIO", f"{bits}.png", f"PNG of {bits} bits with an sRGB tag", same=raised, notice=word)(write)


# Blender.


def blender_image(path, h, kind, **settings):
    import bpy
    import numpy

    bpy.ops.wm.read_factory_settings(use_empty=True)
    low, high = -40.0, 110.0
    image = bpy.data.images.new("height", h.shape[1], h.shape[0], float_buffer=True, is_data=True)
    values = h if kind == "OPEN_EXR" else (h - low) / (high - low)
    image.pixels.foreach_set(numpy.repeat(values[::-1, :, None], 4, axis=2).astype("float32").ravel())
    scene = bpy.context.scene
    scene.view_settings.view_transform = "Raw"
    scene.render.image_settings.file_format = kind
    for name, value in settings.items():
        setattr(scene.render.image_settings, name, value)
    image.save_render(path, scene=scene)


@file("bpy", "blender.exr", "EXR of 32 bits, grey")
def blender_exr(path, h):
    blender_image(path, h, "OPEN_EXR", color_mode="BW", color_depth="32", exr_codec="ZIP")


@file("bpy", "colours.exr", "EXR of 16 bits, red, green and blue")
def blender_half(path, h):
    blender_image(path, h, "OPEN_EXR", color_mode="RGB", color_depth="16", exr_codec="PIZ")


@file("bpy", "blender.png", "PNG of 16 bits, grey", "range=-40,110", tolerance=150 / 65535)
def blender_png(path, h):
    blender_image(path, h, "PNG", color_mode="BW", color_depth="16")


@file("bpy", "blender.tif", "TIFF of 16 bits, red, green and blue", "range=-40,110", tolerance=150 / 65535)
def blender_tiff(path, h):
    blender_image(path, h, "TIFF", color_mode="RGB", color_depth="16", tiff_codec="DEFLATE")


def blender_ground(path, h, export):
    """A grid of corners 2.5 m apart, exported as Blender does unasked."""
    import bpy

    bpy.ops.wm.read_factory_settings(use_empty=True)
    rows, cols = h.shape
    corners = [(2.5 * c, 2.5 * (rows - 1 - r), float(h[r, c])) for r in range(rows) for c in range(cols)]
    faces = [
        (r * cols + c, (r + 1) * cols + c, (r + 1) * cols + c + 1, r * cols + c + 1)
        for r in range(rows - 1)
        for c in range(cols - 1)
    ]
    mesh = bpy.data.meshes.new("ground")
    mesh.from_pydata(corners, [], faces)
    thing = bpy.data.objects.new("ground", mesh)
    bpy.context.collection.objects.link(thing)
    bpy.context.view_layer.objects.active = thing
    thing.select_set(True)
    export(bpy, path)


def inner(values):
    """Cells whose middle lies between four corners have their height: the mean, for the quads are cut in two."""
    return (values[:-1, :-1] + values[1:, 1:]) / 2


MESHES = {
    "ply": lambda bpy, path: bpy.ops.wm.ply_export(filepath=path),
    "stl": lambda bpy, path: bpy.ops.wm.stl_export(filepath=path),
    "glb": lambda bpy, path: bpy.ops.export_scene.gltf(filepath=path, export_format="GLB"),
    "obj": lambda bpy, path: bpy.ops.wm.obj_export(filepath=path),
}
for ending, export in MESHES.items():

    def write(path, h, export=export):
        blender_ground(path, h, export)

    file("bpy", f"blender.{ending}", "a mesh of ground as it is exported unasked; cells lie between its corners, within 12 m", "cell=2.5", same=inner, tolerance=12.0)(write)


def spoiled(h):
    changed = h.copy()
    changed[7, 40] += 40
    return changed


def write_both(number, path, changed):
    """The file, and another in which one height is not what it should be."""
    write = FILES[number][-1]
    write(path, heights())
    write(changed, spoiled(heights()))


def compare(number, reader, path):
    """What is wrong with what `reader` makes of a file, or nothing."""
    import numpy

    program, name, what, options, refused, cell, notice, tolerance, same, _ = FILES[number]
    out = path + ".npy"
    done = subprocess.run([reader, path, out, *options], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr[-300:]
    told = json.loads(done.stdout)
    if refused:
        assert refused in told.get("error", ""), told
        return
    assert "error" not in told, told
    assert cell is None or told["cell"] == cell, told
    assert cell is None or numpy.abs(numpy.array(told["origin"]) - CORNER).max() < 1e-6, told
    assert notice is None or any(notice in line for line in told["notices"]), told
    expected = (same or (lambda h: h))(heights())
    if expected is None:
        found = numpy.load(out)
        assert found.max() == whole(heights()).max() or abs(found.max() - heights().max()) < 3, found.max()
        return
    found = numpy.load(out)
    assert found.shape == expected.shape, f"{found.shape} instead of {expected.shape}"
    off = float(numpy.abs(found - expected).max())
    assert off <= tolerance, f"off by {off}, at most {tolerance} is right"


def one(number, reader, environment):
    """Writes a file by its program and reads it: `right`, or what is wrong."""
    program, name, what, options, refused, cell, notice, tolerance, same, _ = FILES[number]
    with tempfile.TemporaryDirectory() as folder:
        # Names of some files say where they lie.
        paths = [os.path.join(folder, "right", name), os.path.join(folder, "changed", name)]
        for path in paths:
            os.mkdir(os.path.dirname(path))
        words = [sys.executable, os.path.abspath(__file__), "--write", str(number), *paths]
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            return "not written: " + (done.stderr.strip().split("\n") or ["?"])[-1][:120]
        try:
            compare(number, reader, paths[0])
        except AssertionError as wrong:
            return f"**fails**, {name}: {str(wrong)[:160]}"
        if refused or (same and same(heights()) is None):
            return "right"
        try:
            compare(number, reader, paths[1])
        except AssertionError:
            return "right"
        return f"**passes another height too**, {name}"


def table(reader, environment, only=None):
    """Lines of the table, and how many files are not read as they should be."""
    results = {}
    for number, (program, name, what, *_) in enumerate(FILES):
        if only and not {program, f"{program}:{name}"} & set(only):
            continue
        result = one(number, reader, environment)
        print(f"{program:15} {name:20} {result}", flush=True)
        results.setdefault((program, what, FILES[number][4] is not None), []).append(result)
    lines, bad = [], 0
    for (program, what, refused), found in results.items():
        bad += sum(result != "right" for result in found)
        kinds = Counter(found)
        told = "; ".join(result if count == len(found) == 1 else f"{result} ({count})" for result, count in kinds.items())
        lines.append(f"| {program} | {what} | {'refused: ' if refused else ''}{told} |")
    return lines, bad


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--write", number, path, changed]:
            write_both(int(number), path, changed)
        case _:
            sys.exit(__doc__)
