"""Stream power beside fastscapelib and landlab: the same heights, and how fast.

Started by `cargo xtask peers`. Needs Python with numpy, pillow and fastscapelib; landlab if it is there:

    python3 -m venv peers && peers/bin/pip install numpy pillow fastscapelib landlab 'requireit<0.9'
    PATH=$PWD/peers/bin:$PATH cargo xtask peers

landlab 2.11 asks for requireit, whose release 0.9 has syntax of Python 3.12 without saying so; 0.8 does for 3.11 as well.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
from PIL import Image

import fastscapelib as fs

THALWEG = sys.argv[1]
YEAR = 365.25 * 86400.0
UPLIFT, ERODIBILITY, M, STEP = 1.0e-3, 8.0e-3, 0.5, 5000.0  # m/yr, m/yr at 1 km2, -, yr


def cone(cells):
    """Rough ground without a hollow."""
    rng = np.random.default_rng(3)
    at = np.arange(cells) - (cells - 1) / 2
    away = np.hypot(at[:, None], at[None, :])
    return (10.0 * (cells - away) + rng.random((cells, cells))).astype(np.float32)


def rough(cells):
    """The same with so much noise that it is full of hollows."""
    rng = np.random.default_rng(4)
    return cone(cells) + (60.0 * rng.random((cells, cells))).astype(np.float32)


def fastscape(height, cell, steps, exponent=1.0):
    grid = fs.RasterGrid(list(height.shape), [cell, cell], fs.NodeStatus.FIXED_VALUE)
    flow = fs.FlowGraph(grid, [fs.SingleFlowRouter(), fs.MSTSinkResolver()])
    eroder = fs.SPLEroder(flow, k_coef=ERODIBILITY / 1.0e6**M, area_exp=M, slope_exp=exponent, tolerance=1.0e-9)
    height = height.astype(np.float64)
    rise = np.zeros_like(height)
    rise[1:-1, 1:-1] = UPLIFT * STEP
    begin = time.perf_counter()
    for _ in range(steps):
        height = height + rise
        flow.update_routes(height)
        area = flow.accumulate(1.0)
        height = height - eroder.erode(height, area, STEP)
    return height, (time.perf_counter() - begin) / steps


def ours(height, cell, steps, exponent, folder):
    Image.fromarray(height).save(folder / "cone.tif")
    (folder / "scene.toml").write_text(
        f"""version = 1
[terrain]
file = "cone.tif"
cell = {cell}
[solver]
kind = "stream-power"
preset = "braun-2013"
creep = 0
step = "{STEP} yr"
uplift = "{UPLIFT} m/yr"
erodibility = "{ERODIBILITY} m/yr"
area_exponent = {M}
slope_exponent = {exponent}
[edges]
north = "open"
east = "open"
south = "open"
west = "open"
[time]
steps = {steps}
"""
    )
    out = folder / "out"
    subprocess.run([THALWEG, "run", folder / "scene.toml", "--out", out, "--quiet"], check=True)
    subprocess.run([THALWEG, "convert", out / "height.exr", folder / "height.tif"], check=True, stdout=subprocess.DEVNULL)
    return np.array(Image.open(folder / "height.tif")).astype(np.float64)


def landlab_step(height, cell):
    """Seconds of one step of landlab, or nothing where it is not installed."""
    try:
        from landlab import RasterModelGrid
        from landlab.components import FastscapeEroder, FlowAccumulator
    except (ImportError, SyntaxError) as why:
        print(f"landlab is left out: {why!r}; requireit 0.9 needs Python 3.12, requireit<0.9 does not")
        return None
    grid = RasterModelGrid(height.shape, xy_spacing=cell)
    bed = grid.add_field("topographic__elevation", height.astype(np.float64).ravel(), at="node")
    flow = FlowAccumulator(grid, flow_director="D8")
    rivers = FastscapeEroder(grid, K_sp=ERODIBILITY / 1.0e6**M, m_sp=M, n_sp=1.0)
    flow.run_one_step()
    begin = time.perf_counter()
    for _ in range(2):
        bed[grid.core_nodes] += UPLIFT * STEP
        flow.run_one_step()
        rivers.run_one_step(STEP)
    return (time.perf_counter() - begin) / 2


def same(name, start, cell, steps, exponent):
    """Share of the cells whose heights are within 1 mm of theirs."""
    with tempfile.TemporaryDirectory() as folder:
        mine = ours(start, cell, steps, exponent, pathlib.Path(folder))
    theirs, _ = fastscape(start, cell, steps, exponent)
    off = np.abs(mine - theirs)
    share = float((off < 1.0e-3).mean())
    print(f"heights after {steps} steps, {name}, n = {exponent}: {100 * share:.3f} % within 1 mm, half within {np.median(off):.1e} m, worst {off.max():.2e} m")
    return share


def main():
    cells, cell, steps = 256, 50.0, 20
    # Heights are written in 32 bits, and at equal slopes the two take different ways down.
    agreed = all([same("cone", cone(cells), cell, steps, n) > 0.999 for n in (1.0, 1.5)])
    same("cone with hollows", rough(cells), cell, steps, 1.0)
    cells = 1024
    start = cone(cells)
    rows = [("fastscapelib, rivers", fastscape(start, cell, 4)[1]), ("landlab, rivers", landlab_step(start, cell))]
    bench = subprocess.run([THALWEG, "bench", f"stream-power/braun-2013/{cells}", f"stream-power/thalweg/{cells}", "--json"], check=True, capture_output=True)
    for row in json.loads(bench.stdout)["cases"]:
        rows.append((f"thalweg, {row['case']}, {row['threads']} threads, creep included", cells * cells / row["throughput"]))
    for name, seconds in rows:
        if seconds is not None:
            print(f"{name:<55} {cells * cells / seconds / 1e6:8.2f} M cells/s")
    return 0 if agreed else 1


if __name__ == "__main__":
    sys.exit(main())
