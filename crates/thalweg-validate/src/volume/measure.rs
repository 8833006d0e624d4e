//! What a closed mesh measures.

use std::collections::BTreeMap;
use thalweg_field::TriMesh;

/// Area and enclosed volume `[m², m³]`.
pub(super) fn area_and_volume(mesh: &TriMesh) -> [f64; 2] {
    mesh.triangles.iter().fold([0.0; 2], |[area, volume], triangle| {
        let [a, b, c] = triangle.map(|corner| mesh.positions[corner as usize].map(f64::from));
        let [u, v]: [[f64; 3]; 2] = [b, c].map(|p| std::array::from_fn(|axis| p[axis] - a[axis]));
        let cross = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        let size = cross.iter().map(|x| x * x).sum::<f64>().sqrt();
        [area + 0.5 * size, volume + (a[0] * cross[0] + a[1] * cross[1] + a[2] * cross[2]) / 6.0]
    })
}

/// Edges, and those of them that do not have exactly two triangles which run along them in opposite ways.
pub(super) fn edges(mesh: &TriMesh) -> [usize; 2] {
    let mut ways = BTreeMap::new();
    for triangle in &mesh.triangles {
        for n in 0..3 {
            *ways.entry((triangle[n], triangle[(n + 1) % 3])).or_insert(0_usize) += 1;
        }
    }
    let odd = |&(&(a, b), &count): &(&(u32, u32), &usize)| count != 1 || ways.get(&(b, a)) != Some(&1);
    [ways.len() / 2, ways.iter().filter(odd).count()]
}

/// Corners less edges plus triangles.
pub(super) fn euler_characteristic(mesh: &TriMesh) -> i64 {
    mesh.positions.len() as i64 - edges(mesh)[0] as i64 + mesh.triangles.len() as i64
}
