//! Triangles in space.

/// A mesh of triangles, counter-clockwise seen from outside. Metres east, north and up; east and north
/// count from the south-west corner of the terrain.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriMesh {
    /// Corners `[m]`.
    pub positions: Vec<[f32; 3]>,
    /// Outward unit normal at each corner; empty if nobody worked them out `[-]`.
    pub normals: Vec<[f32; 3]>,
    /// Three corners each.
    pub triangles: Vec<[u32; 3]>,
}

impl TriMesh {
    /// Smallest and largest coordinate; `None` if there is no corner.
    pub fn bounds(&self) -> Option<[[f32; 3]; 2]> {
        let first = *self.positions.first()?;
        Some(self.positions.iter().fold([first, first], |[low, high], p| {
            [std::array::from_fn(|i| low[i].min(p[i])), std::array::from_fn(|i| high[i].max(p[i]))]
        }))
    }

    /// Works out the normals: each corner takes the sum of its triangles' normals, weighed by their area.
    #[must_use]
    pub fn with_normals(mut self) -> Self {
        let mut sums = vec![[0.0_f32; 3]; self.positions.len()];
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|corner| self.positions[corner as usize]);
            let [u, v] = [b, c].map(|p| [p[0] - a[0], p[1] - a[1], p[2] - a[2]]);
            let normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
            for corner in triangle {
                let sum = &mut sums[*corner as usize];
                *sum = std::array::from_fn(|i| sum[i] + normal[i]);
            }
        }
        self.normals = sums
            .into_iter()
            .map(|n| {
                let length = n.iter().map(|x| x * x).sum::<f32>().sqrt();
                if length > 0.0 { n.map(|x| x / length) } else { [0.0, 0.0, 1.0] }
            })
            .collect();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_triangle_counter_clockwise_from_above_faces_up() {
        let mesh = TriMesh {
            positions: vec![[0.0, 0.0, 1.0], [2.0, 0.0, 1.0], [0.0, 3.0, 1.0]],
            normals: Vec::new(),
            triangles: vec![[0, 1, 2]],
        }
        .with_normals();
        assert_eq!(mesh.normals, [[0.0, 0.0, 1.0]; 3]);
        assert_eq!(mesh.bounds(), Some([[0.0, 0.0, 1.0], [2.0, 3.0, 1.0]]));
    }
}
