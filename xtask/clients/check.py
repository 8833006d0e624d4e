"""Opens the files of the example `clients` in other programs and compares what they see with what was written.

    python3 xtask/clients/check.py FILES PACKAGES NODE TABLE READER

FILES is the folder of the example, PACKAGES where pip has put the programs, NODE where npm has, TABLE the page that is
written, READER the example `read_back`, for files that those programs write (back.py). Each check is run again on a spoiled copy of its file and must fail there; a check that does not is reported.
Each program runs in a process of its own: they bring libraries that do not get along.

CLIENTS_ONLY=open3d,bpy:ground.ply runs only these checks; the other rows of TABLE stay as they are.
"""

import importlib.metadata
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

CHECKS = []


def check(program, name, what, spoil):
    def add(function):
        CHECKS.append((program, name, what, spoil, function))
        return function

    return add


def same(found, expected, what, tolerance=0.0):
    import numpy

    found, expected = numpy.asarray(found, dtype=float), numpy.asarray(expected, dtype=float)
    assert found.shape == expected.shape, f"{what}: {found.shape} instead of {expected.shape}"
    off = float(numpy.abs(found - expected).max()) if found.size else 0.0
    assert off <= tolerance, f"{what}: off by {off}, at most {tolerance} is right"


def heights(truth):
    import numpy

    return numpy.array(truth["heights"], dtype=numpy.float32).reshape(truth["rows"], truth["cols"])


def quantum(truth):
    return (max(truth["heights"]) - min(truth["heights"])) / 65535 / 2 * 1.001


def volume(corners, faces):
    """Volume of a closed mesh: above zero if its faces look outwards."""
    import numpy

    a, b, c = (corners[faces[:, i]].astype(float) for i in range(3))
    return float((a * numpy.cross(b, c)).sum() / 6)


def faces_up(corners, faces, up):
    """Whether all triangles of a ground turn counter-clockwise as seen from above."""
    import numpy

    a, b, c = (corners[faces[:, i]].astype(float) for i in range(3))
    normals = numpy.cross(b - a, c - a)
    assert (normals[:, up] > 0).all(), f"{int((normals[:, up] <= 0).sum())} triangles look down"


def coloured(corners, colours, up, tolerance):
    """Blue below 0 m, orange above, in linear light."""
    import numpy

    below = numpy.asarray(corners)[:, up] < 0
    expected = numpy.where(below[:, None], [0.0, 0.25, 1.0], [1.0, 0.5, 0.0])
    same(numpy.asarray(colours)[:, :3], expected, "colours", tolerance)


# Ways to spoil a file.


def turned(path):
    """Rows from the south: a picture upside down, by its own program."""
    import numpy
    import OpenImageIO as oiio

    pixels = oiio.ImageBuf(path).get_pixels(oiio.FLOAT if not path.endswith("png") else oiio.UINT16)
    spec = oiio.ImageInput.open(path).spec()
    out = oiio.ImageOutput.create(path)
    out.open(path, spec)
    out.write_image(numpy.ascontiguousarray(pixels[::-1]))
    out.close()


def bytes_of(old, new, count=1):
    def spoil(path):
        content = open(path, "rb").read()
        assert old in content, (path, old)
        open(path, "wb").write(content.replace(old, new, count))

    return spoil


def flipped(at_share, length=4):
    """The bytes somewhere in the file are others."""

    def spoil(path):
        content = bytearray(open(path, "rb").read())
        at = int(len(content) * at_share)
        for i in range(at, min(at + length, len(content))):
            content[i] ^= 0x55
        open(path, "wb").write(content)

    return spoil


def cut(path):
    content = open(path, "rb").read()
    open(path, "wb").write(content[: len(content) * 2 // 3])


def replaced(by):
    """Another file in its place."""

    def spoil(path):
        shutil.copy(os.path.join(os.path.dirname(path), by), path)

    return spoil


def lines(change):
    def spoil(path):
        content = open(path).read().split("\n")
        open(path, "w").write("\n".join(change(line) for line in content))

    return spoil


def inside_out(line):
    if line.startswith("f "):
        f, a, b, c = line.split(" ")
        return " ".join([f, a, c, b])
    return line


# GDAL, by rasterio.


@check("rasterio", "height.tif", "size, every value, cell, corner, EPSG code", flipped(0.4))
def geotiff(path, truth):
    import rasterio

    with rasterio.open(path) as file:
        same(file.read(1), heights(truth), "heights")
        assert file.crs.to_epsg() == 32611, file.crs
        north = truth["origin"][1] + truth["rows"] * truth["cell"]
        same(list(file.transform)[:6], [truth["cell"], 0, truth["origin"][0], 0, -truth["cell"], north], "transform")


@check("rasterio", "height.png", "16 bits, every code by the range in its text", turned)
def png_gdal(path, truth):
    import rasterio

    with rasterio.open(path) as file:
        assert file.dtypes == ("uint16",), file.dtypes
        low, high = json.loads(file.tags()["thalweg"])["code_values"]
        same(low + file.read(1) * ((high - low) / 65535), heights(truth), "heights", quantum(truth))


def noise(path):
    """The codes of the file beside, which is raw numbers."""
    import numpy

    return numpy.fromfile(os.path.join(os.path.dirname(path), "noise.r16"), dtype="<u2").reshape(1009, 1009)


@check("rasterio", "noise.png", "numbers that cannot be packed, in pieces: every bit", flipped(0.9))
def noise_gdal(path, truth):
    import rasterio

    with rasterio.open(path) as file:
        same(file.read(1), noise(path), "codes")


@check("Pillow", "noise.png", "numbers that cannot be packed, in pieces: every bit", flipped(0.9))
def noise_pillow(path, truth):
    import numpy
    from PIL import Image

    same(numpy.array(Image.open(path)), noise(path), "codes")


@check("rasterio", "splat.png", "four channels, 255 together", flipped(0.5, 64))
def splat_gdal(path, truth):
    import rasterio

    with rasterio.open(path) as file:
        shares = file.read()
    assert shares.shape == (4, truth["rows"], truth["cols"]), shares.shape
    assert (shares.astype(int).sum(axis=0) == 255).all()
    import numpy

    same(shares[3] == 255, numpy.array(truth["water"]).reshape(shares.shape[1:]) > 0, "water in alpha")


@check("rasterio", "albers.tif", "a coordinate system in words: every parameter", bytes_of(b"28.5", b"29.5", 1000))
def albers(path, truth):
    import rasterio

    with rasterio.open(path) as file:
        assert file.crs and file.crs.is_projected, file.crs
        assert file.crs == rasterio.CRS.from_wkt(truth["wkt"]), file.crs.to_wkt()
        same(file.read(1), heights(truth), "heights")


def water_of(truth):
    import numpy

    return numpy.array(truth["water"], dtype=numpy.float32).reshape(truth["rows"], truth["cols"])


@check("rasterio", "water.tif", "a map: every value, cell, EPSG code, its name", flipped(0.4))
def map_gdal(path, truth):
    import rasterio

    with rasterio.open(path) as file:
        same(file.read(1), water_of(truth), "depths")
        assert file.crs.to_epsg() == 32611 and file.transform.a == truth["cell"]
        assert json.loads(file.tags()["TIFFTAG_IMAGEDESCRIPTION"])["quantity"] == "water"


# OpenImageIO.


@check("OpenImageIO", "water.exr", "a map: float, every value, its name", turned)
def map_exr(path, truth):
    import OpenImageIO as oiio

    file = oiio.ImageInput.open(path)
    assert json.loads(file.spec().getattribute("thalweg"))["quantity"] == "water"
    same(file.read_image("float")[:, :, 0], water_of(truth), "depths")


@check("OpenImageIO", "height.exr", "float, every value, row 0 in the north", turned)
def exr(path, truth):
    import OpenImageIO as oiio

    file = oiio.ImageInput.open(path)
    assert str(file.spec().format) == "float" and list(file.spec().channelnames) == ["Y"], file.spec().channelnames
    same(file.read_image("float")[:, :, 0], heights(truth), "heights")


@check("OpenImageIO", "maps.exr", "a part for each map, by name; flow direction in two signed channels", replaced("height.exr"))
def exr_parts(path, truth):
    import OpenImageIO as oiio

    file = oiio.ImageInput.open(path)
    parts = {}
    part = 0
    while file.seek_subimage(part, 0):
        spec = file.spec()
        parts[spec.getattribute("oiio:subimagename")] = (list(spec.channelnames), file.read_image(part, 0, 0, spec.nchannels, "float"))
        part += 1
    assert list(parts) == ["height", "water", "flowdir"], list(parts)
    same(parts["height"][1][:, :, 0], heights(truth), "heights")
    import numpy

    water = numpy.array(truth["water"], dtype=numpy.float32).reshape(truth["rows"], truth["cols"])
    same(parts["water"][1][:, :, 0], water, "water")
    names, ways = parts["flowdir"]
    assert [name.split(".")[-1] for name in names] == ["X", "Y"], names
    same(ways[water > 0], numpy.array([truth["flowdir"]] * int((water > 0).sum())), "flow direction", 1e-6)


@check("OpenImageIO", "normal.png", "16 bits, unit vectors, green to the north", turned)
def normal_map(path, truth):
    import numpy
    import OpenImageIO as oiio

    file = oiio.ImageInput.open(path)
    normals = (file.read_image("uint16").astype(float) - 32768) / 32767
    same(numpy.linalg.norm(normals, axis=2), numpy.ones((truth["rows"], truth["cols"])), "lengths", 1e-4)
    # Horn's differences at an inner cell.
    h, cell, r, c = heights(truth).astype(float), truth["cell"], 11, 17
    w = numpy.array([1, 2, 1])
    east = ((h[r - 1 : r + 2, c + 1] - h[r - 1 : r + 2, c - 1]) @ w) / (8 * cell)
    north = ((h[r - 1, c - 1 : c + 2] - h[r + 1, c - 1 : c + 2]) @ w) / (8 * cell)
    expected = numpy.array([-east, -north, 1]) / numpy.sqrt(east**2 + north**2 + 1)
    same(normals[r, c], expected, "normal", 1e-4)


@check("OpenImageIO", "noise.png", "numbers that cannot be packed, in pieces: every bit", flipped(0.9))
def noise_oiio(path, truth):
    import OpenImageIO as oiio

    same(oiio.ImageInput.open(path).read_image("uint16")[:, :, 0], noise(path), "codes")


# VTK.


@check("vtk", "maps.vti", "extent, spacing, every value from the south-west, time", bytes_of(b"Spacing=\"2.5 2.5 1\"", b"Spacing=\"2.0 2.5 1\""))
def vti(path, truth):
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy

    reader = vtk.vtkXMLImageDataReader()
    reader.SetFileName(path)
    reader.Update()
    image = reader.GetOutput()
    assert image.GetDimensions() == (truth["cols"] + 1, truth["rows"] + 1, 1), image.GetDimensions()
    same(image.GetSpacing(), [truth["cell"], truth["cell"], 1], "spacing")
    values = vtk_to_numpy(image.GetCellData().GetArray("height")).reshape(truth["rows"], truth["cols"])
    same(values, heights(truth)[::-1], "heights")
    same(vtk_to_numpy(image.GetFieldData().GetArray("TimeValue")), [1.5], "time")


@check("vtk", "drops_2.vtp", "places, numbers, speeds, velocity as vectors, time", flipped(0.6, 64))
def vtp(path, truth):
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy

    reader = vtk.vtkXMLPolyDataReader()
    reader.SetFileName(path)
    reader.Update()
    points = reader.GetOutput()
    import numpy

    expected = numpy.array(truth["drops"]) + [4, 0, 0]
    assert points.GetNumberOfPoints() == len(expected) == points.GetNumberOfVerts()
    same(vtk_to_numpy(points.GetPoints().GetData()), expected, "places", 1e-5)
    same(vtk_to_numpy(points.GetPointData().GetArray("speed")), truth["speed"], "speed")
    same(vtk_to_numpy(points.GetPointData().GetArray("id")), truth["ids"], "numbers")
    same(vtk_to_numpy(points.GetPointData().GetArray("velocity"))[:, 0], [4] * len(expected), "velocity")
    same(vtk_to_numpy(points.GetFieldData().GetArray("TimeValue")), [1], "time")


@check("vtk", "drops.pvd", "the files and their times", bytes_of(b'timestep="0.5"', b'timestep="0.7"'))
def pvd(path, truth):
    # The reader of .pvd is ParaView's; VTK's own parser of XML reads what it says.
    import vtk

    root = vtk.vtkXMLUtilities.ReadElementFromFile(path)
    assert root.GetAttribute("type") == "Collection"
    sets = root.GetNestedElement(0)
    entries = [sets.GetNestedElement(i) for i in range(sets.GetNumberOfNestedElements())]
    same([float(entry.GetAttribute("timestep")) for entry in entries], truth["times"], "times")
    assert all(os.path.isfile(os.path.join(os.path.dirname(path), entry.GetAttribute("file"))) for entry in entries)


def rock_of(truth):
    """Shares of rock by height, north and east."""
    import numpy

    rock = truth["rock"]
    return numpy.array(rock["shares"], dtype=numpy.float32).reshape(rock["sides"][::-1])


@check("vtk", "rock.vti", "a volume: sides, spacing, place, share of rock in every voxel", flipped(0.7, 40))
def rock_vti(path, truth):
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy

    reader = vtk.vtkXMLImageDataReader()
    reader.SetFileName(path)
    reader.Update()
    image, rock = reader.GetOutput(), truth["rock"]
    same(image.GetDimensions(), [side + 1 for side in rock["sides"]], "corners")
    same(image.GetSpacing(), [rock["voxel"]] * 3, "spacing")
    same(image.GetOrigin(), [0, 0, rock["bottom"]], "origin")
    same(vtk_to_numpy(image.GetCellData().GetArray(0)).reshape(rock["sides"][::-1]), rock_of(truth), "rock")


@check("pynrrd", "rock.nrrd", "a volume: sides, spacing, share of rock in every voxel", flipped(0.7, 40))
def rock_nrrd(path, truth):
    import nrrd
    import numpy

    values, head = nrrd.read(path)
    same(values.shape, truth["rock"]["sides"], "sides")
    same(numpy.linalg.norm(head["space directions"], axis=1), [truth["rock"]["voxel"]] * 3, "spacing")
    same(values.transpose(2, 1, 0), rock_of(truth), "rock")


# Meshes.


def ground_like(corners, faces, truth, up, north):
    """Corners, triangles and bounds of the ground; high in the north-west; triangles look up."""
    import numpy

    corners = numpy.asarray(corners, dtype=float)
    assert len(faces) == truth["mesh"]["triangles"], len(faces)
    low, high = (numpy.array(end) for end in truth["mesh"]["bounds"])
    turn = (lambda p: p) if up == 2 else (lambda p: numpy.stack([p[..., 0], p[..., 2], -p[..., 1]], -1))
    ends = numpy.sort(numpy.stack([turn(low), turn(high)]), axis=0)
    same([corners.min(axis=0), corners.max(axis=0)], ends, "bounds", 1e-4)
    sign = 1 if up == 2 else -1
    top = corners[corners[:, up].argmax()]
    middle = (ends[0] + ends[1]) / 2
    assert top[0] < middle[0] and sign * (top[north] - middle[north]) > 0, f"the summit is at {top}"
    assert corners[:, up].min() < 0
    faces_up(corners, faces, up)


@check("trimesh", "ground.obj", "Y up, bounds, summit in the north-west, winding, UVs", lines(inside_out))
def obj(path, truth):
    import trimesh

    mesh = trimesh.load(path, process=False)
    ground_like(mesh.vertices, mesh.faces, truth, 1, 2)
    uv = mesh.visual.uv
    top = mesh.vertices[:, 1].argmax()
    assert uv.shape == (len(mesh.vertices), 2) and uv[top][0] < 0.5 < uv[top][1], uv[top]


@check("trimesh", "ground.glb", "Y up, bounds, winding, colours", flipped(0.7, 16))
def glb(path, truth):
    import trimesh

    mesh = trimesh.load(path, process=False, force="mesh")
    assert len(mesh.vertices) == truth["mesh"]["corners"], len(mesh.vertices)
    ground_like(mesh.vertices, mesh.faces, truth, 1, 2)
    # Where all meshes of a file become one, trimesh drops their colours.
    [mesh] = trimesh.load(path, process=False).geometry.values()
    colours = mesh.visual.vertex_attributes["color"]
    coloured(mesh.vertices, colours / (255 if colours.dtype.kind == "u" else 1), 1, 0.004)


@check("trimesh", "closed.stl", "watertight, its volume that of the ground above the floor", cut)
def stl(path, truth):
    import trimesh

    mesh = trimesh.load(path)
    assert len(mesh.faces) == truth["closed"]["triangles"], len(mesh.faces)
    assert mesh.is_watertight and mesh.is_winding_consistent
    h = heights(truth).astype(float) + 60
    expected = ((h[:-1, :-1] + h[1:, :-1] + h[:-1, 1:] + h[1:, 1:]) / 4).sum() * truth["cell"] ** 2
    assert abs(mesh.volume - expected) < 0.01 * expected, (mesh.volume, expected)


@check("plyfile", "drops.ply", "ASCII header, places, numbers, columns", bytes_of(b"kg/m^3", b"kg/m\xc2\xb3"))
def ply_points(path, truth):
    import numpy
    from plyfile import PlyData

    data = PlyData.read(path)
    vertex = data["vertex"]
    same(numpy.stack([vertex[axis] for axis in "xyz"], -1), truth["drops"], "places", 1e-6)
    same(vertex["speed"], truth["speed"], "speed")
    same(vertex["id"], truth["ids"], "numbers")
    assert any("unit density kg/m^3" in comment for comment in data.comments), data.comments


@check("plyfile", "ground.ply", "Z up, bounds, winding, s and t", flipped(0.2, 16))
def ply_mesh(path, truth):
    import numpy
    from plyfile import PlyData

    data = PlyData.read(path)
    vertex = data["vertex"]
    corners = numpy.stack([vertex[axis] for axis in "xyz"], -1)
    ground_like(corners, numpy.vstack(data["face"]["vertex_indices"]), truth, 2, 1)
    top = corners[:, 2].argmax()
    assert vertex["s"][top] < 0.5 < vertex["t"][top]
    lengths = numpy.sqrt(sum(vertex[n].astype(float) ** 2 for n in ("nx", "ny", "nz")))
    same(lengths, numpy.ones(len(corners)), "normals", 1e-5)


@check("open3d", "closed.ply", "corners, orientable, volume above zero", flipped(0.95, 40))
def ply_open3d(path, truth):
    import numpy
    import open3d

    mesh = open3d.io.read_triangle_mesh(path)
    faces = numpy.asarray(mesh.triangles)
    assert len(faces) == truth["closed"]["triangles"], len(faces)
    corners = numpy.asarray(mesh.vertices)
    assert mesh.has_vertex_normals()
    assert volume(corners, faces) > 0
    merged = mesh.merge_close_vertices(1e-6)
    assert merged.is_edge_manifold(False) and merged.is_orientable()


@check("open3d", "drops.ply", "places", flipped(0.9, 16))
def points_open3d(path, truth):
    import open3d

    # Open3D reads x, y and z alone, of which the last corner's are not in the spoiled place by chance.
    cloud = open3d.t.io.read_point_cloud(path)
    import numpy

    same(cloud.point.positions.numpy(), truth["drops"], "places", 1e-6)
    same(cloud.point["speed"].numpy()[:, 0], truth["speed"], "speed")


# numpy.


@check("numpy", "height.npy", "every value", flipped(0.8))
def npy(path, truth):
    import numpy

    same(numpy.load(path), heights(truth), "heights")


@check("numpy", "maps.npz", "names, every value, cell and time", flipped(0.3))
def npz(path, truth):
    import numpy

    with numpy.load(path) as file:
        same(file["height"], heights(truth), "heights")
        same(file["water"].ravel(), numpy.array(truth["water"], dtype=numpy.float32), "water")
        same([file["cell"][0], file["time"][0]], [truth["cell"], 1.5], "cell and time")


# USD.


@check("usd-core", "animation.usda", "up axis, metres, samples of water, bodies and particles, winding, validity", lines(lambda l: l.replace("            24: [(8, 0, 0)", "            24: [(9, 0, 0)")))
def usda(path, truth):
    import numpy
    from pxr import Usd, UsdGeom

    stage = Usd.Stage.Open(path)
    assert UsdGeom.GetStageUpAxis(stage) == "Z" and UsdGeom.GetStageMetersPerUnit(stage) == 1
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode(), stage.GetTimeCodesPerSecond()) == (0, 24, 24)
    ground = UsdGeom.Mesh(stage.GetPrimAtPath("/World/Ground"))
    faces = numpy.array(ground.GetFaceVertexIndicesAttr().Get()).reshape(-1, 3)
    ground_like(numpy.array(ground.GetPointsAttr().Get()), faces, truth, 2, 1)
    boat = UsdGeom.Mesh(stage.GetPrimAtPath("/World/Boat"))
    for time in truth["times"]:
        corner = boat.GetPointsAttr().Get(24 * time)[0]
        same(corner, [8 * time, 0, 0], f"the body at {time} s", 1e-6)
    # Between samples a body that keeps its triangles moves on a straight line.
    same(boat.GetPointsAttr().Get(6)[0], [2, 0, 0], "the body at 0.25 s", 1e-6)
    buoy = UsdGeom.Mesh(stage.GetPrimAtPath("/World/Buoy"))
    for time, corner in zip(truth["times"], truth["buoy"]):
        there = buoy.ComputeLocalToWorldTransform(24 * time).Transform(buoy.GetPointsAttr().Get()[1])
        same(there, corner, f"the buoy at {time} s", 1e-5)
    water = UsdGeom.Mesh(stage.GetPrimAtPath("/World/Water"))
    assert list(water.GetPointsAttr().GetTimeSamples()) == [0, 12, 24]
    for time in truth["times"]:
        level = numpy.array(water.GetPointsAttr().Get(24 * time))[:, 2].max()
        same(level, 2 * time - 2, f"water at {time} s", 1e-5)
        ok, why = UsdGeom.Mesh.ValidateTopology(
            water.GetFaceVertexIndicesAttr().Get(24 * time),
            water.GetFaceVertexCountsAttr().Get(24 * time),
            len(water.GetPointsAttr().Get(24 * time)),
        )
        assert ok, why
    drops = UsdGeom.Points(stage.GetPrimAtPath("/World/Particles"))
    same(numpy.array(drops.GetPointsAttr().Get(12)), numpy.array(truth["drops"]) + [2, 0, 0], "drops at 0.5 s", 1e-5)
    same(drops.GetVelocitiesAttr().Get(12)[0], [4, 0, 0], "velocity")
    same(drops.GetWidthsAttr().Get(0)[0], 0.1, "width", 1e-6)
    assert list(drops.GetIdsAttr().Get(24)) == truth["ids"]


def particles_of_run(path):
    """Places of the particles that the same run wrote at its end, and their numbers."""
    import numpy
    from plyfile import PlyData

    vertex = PlyData.read(os.path.join(os.path.dirname(path), "run_drops.ply"))["vertex"]
    return numpy.stack([vertex[axis] for axis in "xyz"], -1), numpy.array(vertex["id"])


@check("usd-core", "run_animation.usda", "of a run: its particles at the end, each with its number; ground and water", replaced("animation.usda"))
def usda_of_run(path, truth):
    import numpy
    from pxr import Usd, UsdGeom

    stage = Usd.Stage.Open(path)
    same([stage.GetTimeCodesPerSecond(), stage.GetEndTimeCode()], [20, 4], "times", 1e-9)
    drops = UsdGeom.Points(stage.GetPrimAtPath("/World/Particles"))
    places, numbers = particles_of_run(path)
    order, found = numpy.argsort(numbers), numpy.argsort(drops.GetIdsAttr().Get(4))
    same(numpy.array(drops.GetIdsAttr().Get(4))[found], numbers[order], "numbers")
    # The run ends with the first step past 0.2 s, a millisecond later at most; water goes at 3 m/s.
    same(numpy.array(drops.GetPointsAttr().Get(4))[found], places[order], "particles at the end", 0.003)
    water = UsdGeom.Mesh(stage.GetPrimAtPath("/World/Water"))
    corners = numpy.array(water.GetPointsAttr().Get(4))
    assert (corners.min(axis=0) < places.min(axis=0) + 0.05).all() and (corners.max(axis=0) > places.max(axis=0) - 0.05).all()
    ground = numpy.array(UsdGeom.Mesh(stage.GetPrimAtPath("/World/Ground")).GetPointsAttr().Get())
    same([ground.min(axis=0)[:2], ground.max(axis=0)[:2]], [[0.05, 0.05], [2.35, 1.55]], "middles of the outermost cells", 1e-5)
    same(ground[:, 2], 0.14 * (1.2 - ground[:, 0]), "a ramp that falls by 14 % to the east", 1e-5)


# glTF.


def gltf_report(path):
    script = "const v=require('gltf-validator'),f=require('fs');v.validateBytes(new Uint8Array(f.readFileSync(process.argv[1]))).then(r=>console.log(JSON.stringify(r.issues)))"
    done = subprocess.run(["node", "-e", script, path], capture_output=True, text=True, cwd=os.environ["CLIENTS_NODE"])
    assert done.returncode == 0, done.stderr[-500:]
    return json.loads(done.stdout)


def gltf_valid(path, truth):
    issues = gltf_report(path)
    told = [f"{message['code']}: {message['message']}" for message in issues["messages"] if message["severity"] < 2][:3]
    assert issues["numErrors"] == issues["numWarnings"] == 0, told


for name in ["ground.glb", "water.glb", "animation.glb", "run_animation.glb"]:
    check("gltf-validator", name, "no error, no warning", bytes_of(b'"componentType":5125', b'"componentType":5126'))(gltf_valid)


# Blender.


def blender():
    import bpy

    bpy.ops.wm.read_factory_settings(use_empty=True)
    return bpy


def blender_mesh(thing):
    import numpy

    mesh = thing.data
    mesh.calc_loop_triangles()
    corners = numpy.array([thing.matrix_world @ vertex.co for vertex in mesh.vertices])
    return corners, numpy.array([list(triangle.vertices) for triangle in mesh.loop_triangles])


def blender_colours(thing):
    """The one attribute of colours, in linear light, at corners or at corners of triangles."""
    [colours] = thing.data.color_attributes
    corners, _ = blender_mesh(thing)
    if colours.domain == "CORNER":
        corners = corners[[loop.vertex_index for loop in thing.data.loops]]
    # Eight bits of sRGB are 0.005 apart in the middle of linear light.
    coloured(corners, [list(value.color) for value in colours.data], 2, 0.006)


@check("bpy", "ground.obj", "default import stands upright, summit in the north-west, winding, UVs, colours", replaced("ground_z.obj"))
def obj_blender(path, truth):
    bpy = blender()
    bpy.ops.wm.obj_import(filepath=path)
    thing = bpy.context.selected_objects[0]
    ground_like(*blender_mesh(thing), truth, 2, 1)
    assert len(thing.data.uv_layers) == 1
    blender_colours(thing)


@check("bpy", "ground.ply", "upright, winding, colours", flipped(0.2, 64))
def ply_blender(path, truth):
    bpy = blender()
    bpy.ops.wm.ply_import(filepath=path)
    thing = bpy.context.selected_objects[0]
    ground_like(*blender_mesh(thing), truth, 2, 1)
    assert len(thing.data.uv_layers) == 1
    blender_colours(thing)


@check("bpy", "ground.stl", "upright, winding", flipped(0.5, 400))
def stl_blender(path, truth):
    bpy = blender()
    bpy.ops.wm.stl_import(filepath=path)
    ground_like(*blender_mesh(bpy.context.selected_objects[0]), truth, 2, 1)


@check("bpy", "ground.glb", "upright, winding, UVs, colours", flipped(0.7, 16))
def glb_blender(path, truth):
    bpy = blender()
    bpy.ops.import_scene.gltf(filepath=path)
    thing = [thing for thing in bpy.data.objects if thing.type == "MESH"][0]
    ground_like(*blender_mesh(thing), truth, 2, 1)
    assert len(thing.data.uv_layers) == 1
    blender_colours(thing)


@check("bpy", "drops.ply", "places, columns as attributes", flipped(0.9, 16))
def points_blender(path, truth):
    import numpy

    bpy = blender()
    bpy.ops.wm.ply_import(filepath=path)
    mesh = bpy.context.selected_objects[0].data
    same([list(vertex.co) for vertex in mesh.vertices], truth["drops"], "places", 1e-6)
    same([value.value for value in mesh.attributes["speed"].data], truth["speed"], "speed", 1e-6)


@check("bpy", "height.exr", "every value, row 0 at the top", turned)
def exr_blender(path, truth):
    import numpy

    bpy = blender()
    image = bpy.data.images.load(path)
    image.colorspace_settings.name = "Non-Color"
    assert tuple(image.size) == (truth["cols"], truth["rows"]) and image.is_float
    pixels = numpy.array(image.pixels[:]).reshape(truth["rows"], truth["cols"], -1)
    same(pixels[::-1, :, 0], heights(truth), "heights", 1e-5)


@check("bpy", "height.png", "16 bits and not 8", turned)
def png_blender(path, truth):
    import numpy

    bpy = blender()
    image = bpy.data.images.load(path)
    image.colorspace_settings.name = "Non-Color"
    pixels = numpy.array(image.pixels[:]).reshape(truth["rows"], truth["cols"], -1)
    low, high = min(truth["heights"]), max(truth["heights"])
    same(low + (high - low) * pixels[::-1, :, 0], heights(truth), "heights", quantum(truth) + 1e-5)


@check("bpy", "animation.usda", "water, bodies and particles at their times", lines(lambda l: l.replace("            24: [(8, 0, 0)", "            24: [(9, 0, 0)")))
def usda_blender(path, truth):
    bpy = blender()
    bpy.ops.wm.usd_import(filepath=path)
    scene = bpy.context.scene
    names = {thing.name: thing for thing in bpy.data.objects}
    assert {"Ground", "Water", "Boat", "Particles"} <= set(names), list(names)
    ground_like(*blender_mesh(names["Ground"]), truth, 2, 1)
    for time in truth["times"]:
        scene.frame_set(round(24 * time))
        seen = bpy.context.evaluated_depsgraph_get()
        boat, _ = blender_mesh(names["Boat"].evaluated_get(seen))
        same(boat[0], [8 * time, 0, 0], f"the body at {time} s", 1e-5)
        buoy, _ = blender_mesh(names["Buoy"].evaluated_get(seen))
        same(buoy[1], truth["buoy"][truth["times"].index(time)], f"the buoy at {time} s", 1e-5)
        water, _ = blender_mesh(names["Water"].evaluated_get(seen))
        same(water[:, 2].max(), 2 * time - 2, f"water at {time} s", 1e-5)
        drops = names["Particles"].evaluated_get(seen)
        places = [drops.matrix_world @ place.vector for place in drops.data.attributes["position"].data]
        same([list(place) for place in places], [[x + 4 * time, y, z] for x, y, z in truth["drops"]], f"drops at {time} s", 1e-5)


@check("bpy", "animation.glb", "one moment of the water at a time, a body that moves and turns", bytes_of(b'"interpolation":"STEP"', b'"interpolation":"LINEAR"', 1000))
def animation_blender(path, truth):
    bpy = blender()
    bpy.context.scene.render.fps = 24
    bpy.ops.import_scene.gltf(filepath=path)
    for time, shown in [(0, 0), (0.25, 0), (0.5, 1), (0.9, 1), (1.0, 2)]:
        bpy.context.scene.frame_set(int(24 * time), subframe=24 * time % 1)
        seen = bpy.context.evaluated_depsgraph_get()
        for moment in range(3):
            scale = bpy.data.objects[f"Water_{moment:04}"].evaluated_get(seen).scale[0]
            same(scale, 1 if moment == shown else 0, f"moment {moment} at {time} s", 1e-3)
    for time, corner in zip(truth["times"], truth["buoy"]):
        bpy.context.scene.frame_set(int(24 * time))
        seen = bpy.context.evaluated_depsgraph_get()
        buoy, _ = blender_mesh(bpy.data.objects["Buoy"].evaluated_get(seen))
        same(buoy[1], corner, f"the buoy at {time} s", 1e-4)


@check("bpy", "water.vdb", "as a volume object: grids, bounds", cut)
def vdb_blender(path, truth):
    bpy = blender()
    bpy.ops.object.volume_import(filepath=path)
    volume = bpy.context.active_object.data
    assert volume.grids.load(), volume.grids.error_message
    assert {grid.name for grid in volume.grids} == {"density", "velocity", "surface"}, [g.name for g in volume.grids]
    kinds = {grid.name: grid.data_type for grid in volume.grids}
    assert kinds == {"density": "FLOAT", "velocity": "VECTOR_FLOAT", "surface": "FLOAT"}, kinds
    for grid in volume.grids:
        assert grid.load(), grid.name
    import numpy

    thing = bpy.context.active_object.evaluated_get(bpy.context.evaluated_depsgraph_get())
    box = numpy.array([list(corner) for corner in thing.bound_box])
    # The ball with its band around the origin, the block from its first voxel on; whole leaves of 8 voxels of 0.5 m at most.
    for found, expected in [(box.min(axis=0), [-6.5, -6.5, -6.5]), (box.max(axis=0), [25, 30, 6.5])]:
        same(found, expected, "bounds", 4.0)


# OpenVDB, as Blender brings it.


def openvdb_of_blender():
    import glob
    import importlib.util

    # Once it is imported, bpy says that it lies elsewhere.
    folder = os.path.dirname(importlib.util.find_spec("bpy").origin)
    import bpy  # brings the library

    sys.path.extend(glob.glob(os.path.join(folder, "*", "python", "lib", "*", "site-packages")))
    import openvdb

    return openvdb


@check("openvdb", "water.vdb", "classes, place, active voxels, values, level set of a ball", bytes_of(struct.pack("<2d", 10, 20), struct.pack("<2d", 11, 20)))
def vdb(path, truth):
    import numpy

    openvdb = openvdb_of_blender()

    grids, about = openvdb.readAll(path)
    grids = {grid.name: grid for grid in grids}
    density, velocity, ball = (grids[name] for name in ("density", "velocity", "surface"))
    assert (density.gridClass, ball.gridClass) == ("fog volume", "level set"), (density.gridClass, ball.gridClass)
    assert density.activeVoxelCount() == truth["fog"]["active"], density.activeVoxelCount()
    same(density.transform.indexToWorld((2, 3, 4)), [11, 21.5, -1], "place")
    values, vectors = density.getConstAccessor(), velocity.getConstAccessor()
    for x, y, z in [(0, 0, 0), (29, 0, 0), (5, 19, 5), (10, 10, 9)]:
        same(values.getValue((x, y, z)), (x + 1) / 32, f"density at {x}, {y}, {z}")
        same(vectors.getValue((x, y, z)), [x, y, z], f"velocity at {x}, {y}, {z}")
    assert values.getValue((29, 19, 9)) == 0 and not values.isValueOn((29, 19, 9))
    near = ball.getConstAccessor()
    same(near.getValue((10, 0, 0)), 0, "distance on the ball", 1e-6)
    same([near.getValue((0, 0, 0)), near.getValue((30, 0, 0))], [-1.5, 1.5], "inside and outside")
    points, quads = ball.convertToQuads()
    same(numpy.linalg.norm(points, axis=1), numpy.full(len(points), 5.0), "the ball as a mesh", 0.05)


@check("openvdb", "run_water.vdb", "of a run: where its particles are there is water, as much as they are", replaced("water.vdb"))
def vdb_of_run(path, truth):
    import numpy

    openvdb = openvdb_of_blender()
    density = {grid.name: grid for grid in openvdb.readAll(path)[0]}["density"]
    places, _ = particles_of_run(path)
    low, high = density.evalActiveVoxelBoundingBox()
    corners = [density.transform.indexToWorld(corner) for corner in (low, high)]
    voxel = density.transform.voxelSize()[0]
    same(corners, [places.min(axis=0), places.max(axis=0)], "bounds", 2 * voxel)
    values = numpy.zeros([b - a + 1 for a, b in zip(low, high)], dtype=numpy.float32)
    density.copyToArray(values, ijk=low)
    # Where they are packed more closely than their spacing a voxel is full all the same.
    share = values.sum() / len(places)
    assert 0.8 < share < 1.3, f"{share} voxels of water for each particle"
    surface = {grid.name: grid for grid in openvdb.readAll(path)[0]}["surface"]
    assert surface.gridClass == "level set", surface.gridClass
    near = surface.getConstAccessor()
    inside = [near.getValue([round(x) for x in surface.transform.worldToIndex(place)]) < voxel / 2 for place in places.tolist()]
    assert sum(inside) > 0.97 * len(inside), f"{sum(inside)} of {len(inside)} particles within the surface"


def version(program):
    if program == "gltf-validator":
        return json.load(open(os.path.join(os.environ["CLIENTS_NODE"], "node_modules/gltf-validator/package.json")))["version"]
    if program == "openvdb":
        return ".".join(map(str, openvdb_of_blender().LIBRARY_VERSION)) + ", of bpy"
    if program == "rasterio":
        import rasterio

        return f"{rasterio.__version__}, GDAL {rasterio.__gdal_version__}"
    return importlib.metadata.version(program)


def one(number, path, truth_path):
    """Runs one check in this process."""
    program, name, _, _, function = CHECKS[number]
    function(path, json.load(open(truth_path)))


def main(files, packages, node, table, reader):
    truth = os.path.join(files, "truth.json")
    environment = dict(os.environ, PYTHONPATH=packages, CLIENTS_NODE=node)
    here = os.path.abspath(__file__)

    def run(*words):
        try:
            return subprocess.run([sys.executable, here, *words], env=environment, capture_output=True, text=True, timeout=300)
        except subprocess.TimeoutExpired as late:
            return subprocess.CompletedProcess(late.cmd, 1, "", "took longer than five minutes")

    rows, versions, bad = [], {}, 0
    only = os.environ.get("CLIENTS_ONLY", "").split(",")
    before = {}
    if only != [""]:
        cells = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in open(table) if line.startswith("|")]
        before = {tuple(line[:-1]): line[-1] for line in cells}
    for number, (program, name, what, _, _) in enumerate(CHECKS):
        if only != [""] and not {program, f"{program}:{name}"} & set(only):
            result = before.get((program, name, what), "not run")
            versions.setdefault(program, before.get((program,)))
            bad += result != "right"
            rows.append((program, name, what, result))
            continue
        if program not in versions:
            told = run("--version", program)
            versions[program] = told.stdout.strip().split("\n")[-1] if told.returncode == 0 else None
        if not versions[program]:
            rows.append((program, name, what, "not installed"))
            continue
        with tempfile.TemporaryDirectory() as folder:
            for file in os.listdir(files):
                shutil.copy(os.path.join(files, file), folder)
            path = os.path.join(folder, name)
            right = run("--one", str(number), path, truth)
            spoiled = run("--spoil", str(number), path)
            assert spoiled.returncode == 0, spoiled.stderr
            wrong = run("--one", str(number), path, truth)
        if right.returncode != 0:
            bad += 1
            result = "**fails**: " + (right.stderr.strip().split("\n") or ["?"])[-1][:160]
        elif wrong.returncode == 0:
            bad += 1
            result = "**passes a spoiled file too**"
        else:
            result = "right"
        rows.append((program, name, what, result))
        print(f"{program:15} {name:16} {result}", flush=True)
    if only != [""]:
        before_back = open(table).read().partition("\n## Written by other programs")
    with open(table, "w") as page:
        page.write(
            "# Opened by other programs\n\n`cargo xtask clients` writes one file of every kind, of ground that is high in the north-west, partly "
            "below 0 m and\nnot square, opens them in the programs below and compares what those see with what was written. "
            "Each check is run\nagain on a spoiled copy of its file and has to fail there. This is its latest result.\n\n"
        )
        page.write("| program | version |\n|---|---|\n")
        for program, told in versions.items():
            page.write(f"| {program} | {told or 'not installed'} |\n")
        page.write("\n| program | file | what is compared | result |\n|---|---|---|---|\n")
        for row in rows:
            page.write("| " + " | ".join(row) + " |\n")
        if only != [""]:
            page.write("".join(before_back[1:]))
    print(f"{len(rows) - bad} of {len(rows)} right; {table}")
    if only == [""]:
        sys.dont_write_bytecode = True
        sys.path.append(packages)
        import back

        lines, wrong = back.table(reader, environment)
        with open(table, "a") as page:
            page.write(
                "\n## Written by other programs\n\nThe same ground, written by these programs in the variants that they have and read here: right to every bit, but for "
                "formats that\nround, or refused with the reason. Of each that is read, but the SRTM tile, a copy with one other height was written too, and was told\nfrom it.\n\n"
                "| program | variant | result |\n|---|---|---|\n" + "\n".join(lines) + "\n"
            )
        print(f"{len(lines)} variants, {wrong} files not read as they should be")
        bad += wrong
    return 1 if bad else 0


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--one", number, path, truth]:
            one(int(number), path, truth)
        case ["--spoil", number, path]:
            CHECKS[int(number)][3](path)
        case ["--version", program]:
            print(version(program))
        case [files, packages, node, table, reader]:
            sys.exit(main(*(os.path.abspath(word) for word in (files, packages, node, table, reader))))
        case _:
            sys.exit(__doc__)
