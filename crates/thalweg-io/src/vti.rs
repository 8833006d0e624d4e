//! VTI: grids for VTK and ParaView.
//!
//! VTK's XML file of ImageData, all numbers in one block at the end, raw, low byte first, as in [VTP files](crate::vtp).

use crate::WriteError;
use crate::atomic::write_atomic;
use crate::points::PLACES;
use crate::vtp::{in_comment, in_quotes};
use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;
use thalweg_field::{Field, Frame};
use thalweg_terrain::volume::Volume;

/// Length of the number that tells how long an array is `[byte]`.
const COUNT: u64 = 8;

/// Writes grids of one shape as VTK ImageData: a value for each cell, under the name of its grid. VTK counts from the
/// south, so rows are turned; the cells are flat, at height 0. `time` is when they are so `[s]`.
pub fn write_vti(path: &Path, fields: &[&Field], frame: &Frame, time: Option<f64>) -> Result<(), WriteError> {
    let refuse = |what, expected| Err(WriteError::Refused { path: path.into(), what, expected });
    let Some(first) = fields.first() else {
        return refuse("there is no grid to write".into(), "one at least must be given");
    };
    let [cols, rows] = [first.values.cols(), first.values.rows()];
    if let Some(other) = fields.iter().find(|field| !field.values.same_shape(&first.values)) {
        let what = format!(
            "the grid {} is {} × {} cells",
            other.info.name,
            other.values.cols(),
            other.values.rows()
        );
        return refuse(what, "all grids of a file must have the shape of the first");
    }
    let image = Image {
        size: [cols, rows, 1],
        spacing: [frame.cell, frame.cell, 1.0],
        origin: [0.0; 3],
        flat: true,
        time,
    };
    let labels = fields.iter().map(|field| [&*field.info.name, &*field.info.unit, &*field.info.meaning]);
    let head = image.head(&labels.collect::<Vec<_>>());
    write_atomic(path, |writer| {
        writer.write_all(head.as_bytes())?;
        image.write_time(writer)?;
        for field in fields {
            writer.write_all(&(4 * field.values.len() as u64).to_le_bytes())?;
            for row in (0..rows).rev() {
                writer.write_all(bytemuck::cast_slice(field.values.row(row)))?;
            }
        }
        writer.write_all(TAIL)
    })
}

/// Writes a volume of ground as VTK ImageData: the share of rock in each voxel.
pub fn write_vti_volume(path: &Path, volume: &Volume) -> Result<(), WriteError> {
    let size @ [east, north, up] = volume.size();
    let image = Image {
        size,
        spacing: [volume.voxel(); 3],
        origin: [0.0, 0.0, volume.bottom()],
        flat: false,
        time: None,
    };
    let head = image.head(&[["rock", "-", "share of the voxel that is rock"]]);
    write_atomic(path, |writer| {
        writer.write_all(head.as_bytes())?;
        writer.write_all(&(4 * (east * north * up) as u64).to_le_bytes())?;
        let mut row = vec![0.0_f32; east];
        for line in 0..north * up {
            for (x, share) in row.iter_mut().enumerate() {
                *share = volume.share([x as isize, (line % north) as isize, (line / north) as isize]);
            }
            writer.write_all(bytemuck::cast_slice(&row))?;
        }
        writer.write_all(TAIL)
    })
}

const TAIL: &[u8] = b"\n  </AppendedData>\n</VTKFile>\n";

/// How the cells lie.
struct Image {
    /// Cells to the east, to the north and upwards.
    size: [usize; 3],
    spacing: [f64; 3],
    /// The south-western lower corner `[m]`.
    origin: [f64; 3],
    /// Whether the cells have no height.
    flat: bool,
    time: Option<f64>,
}

impl Image {
    /// Everything before the numbers.
    fn head(&self, labels: &[[&str; 3]]) -> String {
        let [east, north, up] = self.size;
        let extent = format!("0 {east} 0 {north} 0 {}", if self.flat { 0 } else { up });
        let triple = |numbers: [f64; 3]| numbers.map(|x| x.to_string()).join(" ");
        let mut head = String::from(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n",
        );
        // Writing to a string cannot fail.
        let _ = writeln!(head, "  <!-- {PLACES} -->");
        for [name, unit, meaning] in labels {
            let _ = writeln!(head, "  <!-- {} -->", in_comment(&format!("{name} [{unit}] {meaning}")));
        }
        let _ = writeln!(
            head,
            "  <ImageData WholeExtent=\"{extent}\" Origin=\"{}\" Spacing=\"{}\">",
            triple(self.origin),
            triple(self.spacing)
        );
        let mut offset = 0;
        if self.time.is_some() {
            head += "    <FieldData>\n      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfComponents=\"1\" \
                     NumberOfTuples=\"1\" format=\"appended\" offset=\"0\"/>\n    </FieldData>\n";
            offset += COUNT + 8;
        }
        let _ = writeln!(head, "    <Piece Extent=\"{extent}\">\n      <CellData>");
        for [name, ..] in labels {
            let _ = writeln!(
                head,
                "        <DataArray type=\"Float32\" Name=\"{}\" NumberOfComponents=\"1\" format=\"appended\" \
                 offset=\"{offset}\"/>",
                in_quotes(name)
            );
            offset += COUNT + 4 * (east * north * up) as u64;
        }
        // Numbers begin right after the underscore, whatever they look like.
        head + "      </CellData>\n    </Piece>\n  </ImageData>\n  <AppendedData encoding=\"raw\">\n   _"
    }

    fn write_time(&self, writer: &mut impl Write) -> std::io::Result<()> {
        let Some(time) = self.time else { return Ok(()) };
        writer.write_all(&8_u64.to_le_bytes())?;
        writer.write_all(&time.to_le_bytes())
    }
}

/// Writes a list of files and their times, which ParaView opens as one moving thing; names are seen from the list `[s]`.
pub fn write_pvd(path: &Path, files: &[(f64, String)]) -> Result<(), WriteError> {
    write_atomic(path, |writer| {
        writer.write_all(
            b"<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n  <Collection>\n",
        )?;
        for (time, file) in files {
            writeln!(writer, "    <DataSet timestep=\"{time}\" part=\"0\" file=\"{}\"/>", in_quotes(file))?;
        }
        writer.write_all(b"  </Collection>\n</VTKFile>\n")
    })
}

/// The files of a list that [`write_pvd`] wrote, with their times; none where there is no such list.
pub fn read_pvd(path: &Path) -> Vec<(f64, String)> {
    let text = crate::open_regular(path).and_then(|mut file| {
        let mut text = String::new();
        std::io::Read::read_to_string(&mut file, &mut text).map(|_| text)
    });
    let between = |line: &str, key: &str| {
        let (_, rest) = line.split_once(&format!("{key}=\""))?;
        Some(rest.split_once('"')?.0.to_owned())
    };
    let entry = |line: &str| Some((between(line, "timestep")?.parse().ok()?, between(line, "file")?));
    text.unwrap_or_default().lines().filter_map(entry).collect()
}
