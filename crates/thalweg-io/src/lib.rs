//! The files thalweg reads and writes, one module per format.
//!
//! Terrain comes in as PNG, TIFF (with its GeoTIFF tags), EXR, R16, R32, RAW, NPY, PFM, HGT or ASCII grid and becomes a
//! [`Heightfield`](thalweg_field::Heightfield) in metres; whatever had to be assumed or repaired on
//! the way is told as a [`Notice`]. Particles come in as PLY, [meshes](read_mesh) as PLY, OBJ, STL or GLB, [volumes](read_volume) of
//! ground as TWV or NRRD. Out go terrain in the same formats but HGT, from memory or [row by row](Streamed); maps one by one, as
//! [layers](write_layers) of one EXR, [NPZ](write_npz_fields) and [VTI](write_vti); pictures and [moving pictures](Animation); particles [as PLY or
//! VTP](write_points); meshes [as PLY, OBJ, GLB or STL](write_mesh); volumes [as OpenVDB](write_vdb), TWV, NRRD or VTI; moving scenes [as
//! USD](write_usda) or [GLB](write_glb_motion); and checkpoints. Each is written to a temporary name and renamed, so that a kill leaves
//! the old file or the new one and never half.
//! Files are hostile until checked: sizes are compared with a memory limit before anything is
//! allocated, and broken bytes give an error that names the file and what to do about it.
//!
//! A map in degrees is laid out in metres where that is asked for ([`ReadOptions::utm`]).
//!
//! One rule of orientation holds everywhere: row 0 is the north edge, columns run east, and Z is up; only
//! GLB and OBJ files, which have Y up by rule and by custom, turn that.
//!
//! ```
//! use thalweg_field::{Frame, Grid2, Heightfield};
//! use thalweg_io::{ReadOptions, WriteOptions, read_heightfield, write_heightfield};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("hill.tif");
//! let hill = Heightfield {
//!     height: Grid2::from_fn(40, 30, |col, row| (col * row) as f32),
//!     frame: Frame { cell: 5.0, origin: [431_000.0, 5_412_000.0], crs: Some("EPSG:32611".into()) },
//! };
//! write_heightfield(&path, &hill, &WriteOptions::default())?;
//!
//! let back = read_heightfield(&path, &ReadOptions::default())?;
//! assert_eq!(back.field, hill);
//! assert!(back.notices.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod animation;
mod ascii_grid;
pub mod atomic;
mod beside;
mod channels;
pub mod checkpoint;
mod codes;
mod error;
mod exr;
mod glb;
mod glb_motion;
mod glb_read;
mod heightmap;
mod hgt;
mod jpeg;
mod kind;
mod label;
mod layers;
mod map;
mod mesh;
mod motion;
mod nodata;
mod notice;
mod npy;
mod nrrd;
mod numpy;
mod obj;
mod pfm;
mod ply;
mod png;
mod points;
mod rasterise;
mod raw;
mod reading;
mod reproject;
mod stl;
mod stl_read;
mod stream;
mod survey;
mod table;
mod tiff;
mod usda;
mod utm;
mod vdb;
mod volume;
mod vti;
mod vtp;
mod written;

pub use animation::{Animation, ffmpeg_present};
pub use channels::{write_share_png, write_shares_png, write_vectors_png};
pub use error::{ReadError, WriteError};
pub use glb::write_glb_mesh;
pub use glb_motion::write_glb_motion;
pub use heightmap::{Estimate, Imported, ReadOptions, estimate, read_heightfield};
pub use jpeg::write_jpeg_rgb;
pub use kind::Kind;
pub use label::{ByteOrder, Story};
pub use layers::{MapLayer, ReadLayer, read_layers, write_layers};
pub use map::{
    MapCodes, read_map, read_png_description, read_png_rgb, write_described_png, write_map, write_map_exr,
    write_map_png, write_map_png_with, write_map_tiff, write_png_rgb,
};
pub use mesh::{MeshExtras, UpAxis, read_mesh, write_mesh, write_mesh_with};
pub use motion::{Moment, Motion, MotionError, Shape, Thing, points_at, read_moment, write_moment};
pub use nodata::fill_holes;
pub use notice::Notice;
pub use numpy::{NpyArray, write_npy, write_npz, write_npz_fields};
pub use obj::{read_obj, write_obj_mesh};
pub use ply::{Ply, read_ply, write_ply_mesh, write_ply_points};
pub use points::write_points;
pub use rasterise::heights_of_mesh;
pub use reading::open_regular;
pub use stream::{CopyError, Streamed, Surveyed, Window, survey};
pub use table::GrowingTable;
pub use tiff::geotiff_tells;
pub use usda::write_usda;
pub use utm::Utm;
pub use vdb::{LEAF_SIDE, SparseGrid, VdbClass, VdbGrid, VdbValue, VdbValues, write_vdb};
pub use volume::{read_volume, write_volume};
pub use vti::{read_pvd, write_pvd, write_vti, write_vti_volume};
pub use vtp::write_vtp_points;
pub use written::{WriteOptions, write_heightfield};
