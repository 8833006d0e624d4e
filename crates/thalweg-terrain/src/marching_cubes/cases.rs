//! What the surface looks like in a cell, for each way that rock can sit in its eight corners (Lorensen & Cline 1987).
//!
//! The table is worked out, not typed in. On every face of a cell each run of rock corners is cut off by one line: where two
//! rock corners lie across from each other they are kept apart. A face then looks the same from both of its cells, so that no
//! hole can open between them, and the lines of all faces join to closed loops around the cell. Loops are cut into triangles
//! by lines that lie on no face: the neighbour can have no line at the same place, and every edge has exactly two triangles.

use std::sync::LazyLock;

/// Edges of a cell.
pub(super) const EDGES: usize = 12;

/// Corner of a cell with these coordinates, each 0 or 1.
const fn corner(coordinates: [usize; 3]) -> usize {
    coordinates[0] + 2 * coordinates[1] + 4 * coordinates[2]
}

/// Axis of an edge, and the corner that it begins at.
pub(super) const fn axis_and_start(edge: usize) -> (usize, usize) {
    let (axis, u, v) = (edge / 4, edge % 2, edge / 2 % 2);
    let start = match axis {
        0 => [0, u, v],
        1 => [u, 0, v],
        _ => [u, v, 0],
    };
    (axis, corner(start))
}

/// The edge between two corners that differ along one axis.
fn edge_between(a: usize, b: usize) -> usize {
    let edge = |&edge: &usize| {
        let (axis, start) = axis_and_start(edge);
        start == a.min(b) && start + (1 << axis) == a.max(b)
    };
    (0..EDGES).find(edge).expect("corners of a face follow along edges")
}

/// The corners of the six faces, counter-clockwise seen from outside.
fn faces() -> [[usize; 4]; 6] {
    std::array::from_fn(|face| {
        let (axis, side) = (face / 2, face % 2);
        let mut around = [[0, 0], [1, 0], [1, 1], [0, 1]];
        if side == 0 {
            around.reverse();
        }
        around.map(|[u, v]| (side << axis) | (u << ((axis + 1) % 3)) | (v << ((axis + 2) % 3)))
    })
}

/// The triangles of one case: each corner is an edge of the cell that the surface crosses.
#[derive(Clone, Debug, Default)]
pub(super) struct Case {
    triangles: Vec<[u8; 3]>,
}

impl Case {
    pub(super) fn triangles(&self) -> &[[u8; 3]] {
        &self.triangles
    }
}

/// All cases; bit n says whether corner n is rock.
pub(super) static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| (0..256).map(Case::new).collect());

impl Case {
    fn new(rock: usize) -> Self {
        let faces = faces();
        let mut triangles = Vec::new();
        for outline in outlines(rock, &faces) {
            let cut = cut(&outline, &faces).expect("every loop can be cut without lines on faces");
            triangles.extend(cut.iter().map(|triangle| triangle.map(|at| outline[at] as u8)));
        }
        Self { triangles }
    }
}

/// The closed loops of crossed edges around a cell, counter-clockwise seen from the air.
fn outlines(rock: usize, faces: &[[usize; 4]; 6]) -> Vec<Vec<usize>> {
    // The next crossed edge on the way around the rock.
    let mut next = [None; EDGES];
    for face in faces {
        let is_rock = |at: usize| rock >> face[at % 4] & 1 == 1;
        for first in (0..4).filter(|&at| is_rock(at) && !is_rock(at + 3)) {
            let last = (first..first + 4).find(|&at| !is_rock(at + 1)).expect("a face with air on it");
            let enters = edge_between(face[(first + 3) % 4], face[first]);
            next[enters] = Some(edge_between(face[last % 4], face[(last + 1) % 4]));
        }
    }
    let mut loops = Vec::new();
    for start in 0..EDGES {
        let mut outline = Vec::new();
        let mut at = start;
        while let Some(following) = next[at].take() {
            outline.push(at);
            at = following;
        }
        if !outline.is_empty() {
            loops.push(outline);
        }
    }
    loops
}

/// Cuts a loop into triangles such that no cut lies on a face of the cell.
fn cut(outline: &[usize], faces: &[[usize; 4]; 6]) -> Option<Vec<[usize; 3]>> {
    fn between(first: usize, last: usize, apart: &impl Fn(usize, usize) -> bool) -> Option<Vec<[usize; 3]>> {
        if last - first < 2 {
            return Some(Vec::new());
        }
        (first + 1..last).filter(|&tip| apart(first, tip) && apart(tip, last)).find_map(|tip| {
            let mut triangles = between(first, tip, apart)?;
            triangles.push([first, tip, last]);
            triangles.extend(between(tip, last, apart)?);
            Some(triangles)
        })
    }
    let on = |edge: usize, face: &[usize; 4]| {
        let (axis, start) = axis_and_start(edge);
        face.contains(&start) && face.contains(&(start + (1 << axis)))
    };
    let apart = |a: usize, b: usize| {
        b - a < 2 || !faces.iter().any(|face| on(outline[a], face) && on(outline[b], face))
    };
    between(0, outline.len() - 1, &apart)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_has_at_most_five_triangles_and_none_if_it_is_all_rock_or_all_air() {
        assert_eq!(CASES.iter().map(|case| case.triangles().len()).max(), Some(5));
        assert!(CASES[0].triangles().is_empty() && CASES[255].triangles().is_empty());
    }

    #[test]
    fn triangles_use_every_crossed_edge_and_no_other() {
        for (rock, case) in CASES.iter().enumerate() {
            for edge in 0..EDGES {
                let (axis, start) = axis_and_start(edge);
                let crossed = (rock >> start ^ rock >> (start + (1 << axis))) & 1 == 1;
                let used = case.triangles().iter().flatten().any(|&corner| usize::from(corner) == edge);
                assert_eq!(used, crossed, "case {rock}, edge {edge}");
            }
        }
    }
}
