//! OpenVDB: sparse volumes for Blender, Houdini and renderers.
//!
//! Version 224 of the format, trees of 5-4-3: blocks of 8³ voxels (leaves) in nodes of 16³ of those in nodes of 32³ of
//! those, packed with zlib; no blosc. Written from the format as OpenVDB 10 writes it (`openvdb/io/Archive.cc`,
//! `tree/RootNode.h`, `InternalNode.h`, `LeafNode.h`, `math/Maps.h`). Index space runs east, north and up; a voxel's value
//! belongs to its centre.

use crate::WriteError;
use crate::atomic::write_atomic;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::collections::BTreeMap;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// The first eight bytes of every file.
const MAGIC: i64 = 0x5644_4220;
/// Version of the format, and of the library that writes it so.
const VERSION: u32 = 224;
const LIBRARY: [u32; 2] = [10, 0];
/// Values are packed with zlib, all of a node.
const ZIP: u32 = 1;
/// What a node says before its values: all of them follow.
const ALL_VALUES: u8 = 6;

/// Logarithms of the sides of a leaf, of the nodes above it and of those above them.
const LEAF: u32 = 3;
const LOWER: u32 = 4;
const UPPER: u32 = 5;

/// Side of a leaf `[voxel]`, and the number of voxels in it.
pub const LEAF_SIDE: i32 = 1 << LEAF;
const LEAF_VOXELS: usize = 1 << (3 * LEAF);

/// Something that a voxel can hold.
pub trait VdbValue: Copy + Default + PartialEq {
    /// What OpenVDB calls it.
    const NAME: &'static str;
    /// Adds its bytes, low byte first.
    fn put(self, bytes: &mut Vec<u8>);
    /// The same with the sign turned, which is the value deep inside a level set.
    fn negated(self) -> Self;
    /// Whether it is a number.
    fn is_finite(self) -> bool;
}

impl VdbValue for f32 {
    const NAME: &'static str = "float";

    fn put(self, bytes: &mut Vec<u8>) {
        bytes.extend(self.to_le_bytes());
    }

    fn negated(self) -> Self {
        -self
    }

    fn is_finite(self) -> bool {
        f32::is_finite(self)
    }
}

impl VdbValue for [f32; 3] {
    const NAME: &'static str = "vec3s";

    fn put(self, bytes: &mut Vec<u8>) {
        self.iter().for_each(|part| part.put(bytes));
    }

    fn negated(self) -> Self {
        self.map(|part| -part)
    }

    fn is_finite(self) -> bool {
        self.iter().all(|part| part.is_finite())
    }
}

/// A block of 8³ voxels.
#[derive(Clone, Debug, PartialEq)]
struct Leaf<T> {
    values: Vec<T>,
    active: [u64; LEAF_VOXELS / 64],
}

/// Values at some voxels of an endless grid; all others hold the background.
#[derive(Clone, Debug, PartialEq)]
pub struct SparseGrid<T> {
    background: T,
    /// By the number of the leaf along each axis.
    leaves: BTreeMap<[i32; 3], Leaf<T>>,
}

impl<T: VdbValue> SparseGrid<T> {
    /// Background everywhere.
    pub fn new(background: T) -> Self {
        Self { background, leaves: BTreeMap::new() }
    }

    /// Gives a voxel a value, which makes it active.
    pub fn set(&mut self, at: [i32; 3], value: T) {
        let (leaf, index) = self.leaf(at);
        leaf.values[index] = value;
        leaf.active[index / 64] |= 1 << (index % 64);
    }

    /// Gives a voxel a value and leaves it inactive: what is deep inside a level set.
    pub fn set_inactive(&mut self, at: [i32; 3], value: T) {
        let (leaf, index) = self.leaf(at);
        leaf.values[index] = value;
        leaf.active[index / 64] &= !(1 << (index % 64));
    }

    fn leaf(&mut self, at: [i32; 3]) -> (&mut Leaf<T>, usize) {
        let background = self.background;
        let new = || Leaf { values: vec![background; LEAF_VOXELS], active: [0; LEAF_VOXELS / 64] };
        let leaf = self.leaves.entry(at.map(|axis| axis.div_euclid(LEAF_SIDE))).or_insert_with(new);
        (leaf, index(at.map(|axis| axis.rem_euclid(LEAF_SIDE)), LEAF))
    }

    /// The value of a voxel, and whether it is active.
    pub fn at(&self, at: [i32; 3]) -> (T, bool) {
        let index = index(at.map(|axis| axis.rem_euclid(LEAF_SIDE)), LEAF);
        match self.leaves.get(&at.map(|axis| axis.div_euclid(LEAF_SIDE))) {
            Some(leaf) => (leaf.values[index], leaf.active[index / 64] >> (index % 64) & 1 == 1),
            None => (self.background, false),
        }
    }

    /// Number of active voxels.
    pub fn active_voxels(&self) -> u64 {
        self.leaves.values().flat_map(|leaf| leaf.active).map(|word| u64::from(word.count_ones())).sum()
    }

    /// First and last active voxel along each axis; `None` if there is none.
    pub fn bounds(&self) -> Option<[[i32; 3]; 2]> {
        let mut bounds: Option<[[i32; 3]; 2]> = None;
        for (leaf, content) in &self.leaves {
            for index in (0..LEAF_VOXELS).filter(|index| content.active[index / 64] >> (index % 64) & 1 == 1)
            {
                let within = [index >> (2 * LEAF), index >> LEAF & 7, index & 7];
                let at: [i32; 3] = std::array::from_fn(|axis| leaf[axis] * LEAF_SIDE + within[axis] as i32);
                let [low, high] = bounds.unwrap_or([at; 2]);
                bounds = Some([
                    std::array::from_fn(|axis| low[axis].min(at[axis])),
                    std::array::from_fn(|axis| high[axis].max(at[axis])),
                ]);
            }
        }
        bounds
    }
}

/// Place of a child in a node: up runs fastest, east slowest.
fn index(at: [i32; 3], side: u32) -> usize {
    ((at[0] << (2 * side)) + (at[1] << side) + at[2]) as usize
}

/// What the values of a grid are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VdbClass {
    /// Distances from a surface, below zero inside `[m]`; the background is the largest.
    LevelSet,
    /// How much there is, from 0 outside to 1.
    FogVolume,
    /// Anything else, such as velocities.
    Unknown,
}

impl VdbClass {
    fn name(self) -> &'static str {
        match self {
            Self::LevelSet => "level set",
            Self::FogVolume => "fog volume",
            Self::Unknown => "unknown",
        }
    }
}

/// The values of a grid.
#[derive(Clone, Debug, PartialEq)]
pub enum VdbValues {
    /// Numbers.
    Float(SparseGrid<f32>),
    /// Vectors: east, north and up.
    Vector(SparseGrid<[f32; 3]>),
}

/// A grid with its name and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct VdbGrid {
    /// Its name: `density`, `velocity`, `surface`, ...
    pub name: String,
    /// What its values are.
    pub class: VdbClass,
    /// Side of a voxel `[m]`.
    pub voxel: f64,
    /// Place of the centre of voxel 0, 0, 0, metres east, north and up of the south-west corner of the terrain `[m]`.
    pub origin: [f64; 3],
    /// Its values.
    pub values: VdbValues,
}

/// Writes grids into one file. Names must differ, voxels have a size, and all values be finite.
///
/// Everything that depends on nothing but the grids comes out in the same bytes, the file's identity too.
pub fn write_vdb(path: &Path, grids: &[VdbGrid]) -> Result<(), WriteError> {
    for (number, grid) in grids.iter().enumerate() {
        let refuse = |what, expected| Err(WriteError::Refused { path: path.into(), what, expected });
        let VdbGrid { name, voxel, origin, values, .. } = grid;
        if name.is_empty() || name.chars().any(|c| !c.is_ascii_graphic()) {
            return refuse(format!("a grid is named {name:?}"), "its name must be one word in ASCII");
        }
        if grids[..number].iter().any(|other| other.name == *name) {
            return refuse(format!("two grids are named {name}"), "each needs a name of its own");
        }
        if !(voxel.is_finite() && *voxel > 0.0 && origin.iter().all(|x| x.is_finite())) {
            let what = format!("the voxels of the grid {name} are {voxel} m wide, the first at {origin:?}");
            return refuse(what, "the width must be above 0 and the place finite");
        }
        let wild = match values {
            VdbValues::Float(grid) => first_wild(grid),
            VdbValues::Vector(grid) => first_wild(grid),
        };
        if let Some(leaf) = wild {
            let what = format!("the grid {name} holds what is no number, in the block of voxels at {leaf:?}");
            return refuse(what, "every value must be finite");
        }
    }
    write_atomic(path, |writer| {
        let mut out = Out { writer, at: 0 };
        out.write(&MAGIC.to_le_bytes())?;
        for number in [VERSION, LIBRARY[0], LIBRARY[1]] {
            out.write(&number.to_le_bytes())?;
        }
        // Each grid says where it begins and ends.
        out.write(&[1])?;
        out.write(identity(grids).as_bytes())?;
        out.meta(&[("creator", Meta::Text(concat!("thalweg ", env!("CARGO_PKG_VERSION")).into()))])?;
        out.write(&(grids.len() as i32).to_le_bytes())?;
        grids.iter().try_for_each(|grid| match &grid.values {
            VdbValues::Float(values) => out.grid(grid, values),
            VdbValues::Vector(values) => out.grid(grid, values),
        })
    })
}

/// The first voxel of a leaf with a value that is no number.
fn first_wild<T: VdbValue>(grid: &SparseGrid<T>) -> Option<[i32; 3]> {
    let wild = |leaf: &Leaf<T>| leaf.values.iter().any(|value| !value.is_finite());
    let found = grid.leaves.iter().find(|(_, leaf)| wild(leaf)).map(|(at, _)| at.map(|x| x * LEAF_SIDE));
    found.or((!grid.background.is_finite()).then_some([0; 3]))
}

/// A UUID that tells files apart, made of what they hold: the same content gives the same file.
fn identity(grids: &[VdbGrid]) -> String {
    let mut hash = xxhash_rust::xxh3::Xxh3::new();
    fn take<T: VdbValue>(hash: &mut xxhash_rust::xxh3::Xxh3, grid: &SparseGrid<T>) {
        let mut bytes = Vec::new();
        for (at, leaf) in &grid.leaves {
            bytes.clear();
            at.iter().for_each(|axis| bytes.extend(axis.to_le_bytes()));
            leaf.values.iter().for_each(|value| value.put(&mut bytes));
            hash.update(&bytes);
        }
    }
    for grid in grids {
        hash.update(grid.name.as_bytes());
        hash.update(&grid.voxel.to_le_bytes());
        match &grid.values {
            VdbValues::Float(values) => take(&mut hash, values),
            VdbValues::Vector(values) => take(&mut hash, values),
        }
    }
    let number = hash.digest128();
    let part =
        |shift: u32, digits: usize| format!("{:0digits$x}", number >> shift & ((1_u128 << (4 * digits)) - 1));
    // Version 8, variant 1: made up by whoever writes it (RFC 9562).
    format!("{}-{}-8{}-8{}-{}", part(96, 8), part(80, 4), part(64, 3), part(48, 3), part(0, 12))
}

/// A value of a grid's description.
enum Meta {
    Text(String),
    Integers([i32; 3]),
    Long(i64),
    Flag(bool),
}

/// A file being written that knows how far it is.
struct Out<W> {
    writer: W,
    at: u64,
}

impl<W: Write + Seek> Out<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.at += bytes.len() as u64;
        self.writer.write_all(bytes)
    }

    fn text(&mut self, text: &str) -> io::Result<()> {
        self.write(&(text.len() as u32).to_le_bytes())?;
        self.write(text.as_bytes())
    }

    fn meta(&mut self, entries: &[(&str, Meta)]) -> io::Result<()> {
        self.write(&(entries.len() as u32).to_le_bytes())?;
        for (name, value) in entries {
            let (kind, bytes) = match value {
                Meta::Text(text) => ("string", text.as_bytes().to_vec()),
                Meta::Integers(numbers) => ("vec3i", numbers.map(i32::to_le_bytes).as_flattened().to_vec()),
                Meta::Long(number) => ("int64", number.to_le_bytes().to_vec()),
                Meta::Flag(flag) => ("bool", vec![u8::from(*flag)]),
            };
            self.text(name)?;
            self.text(kind)?;
            self.write(&(bytes.len() as u32).to_le_bytes())?;
            self.write(&bytes)?;
        }
        Ok(())
    }

    fn grid<T: VdbValue>(&mut self, grid: &VdbGrid, values: &SparseGrid<T>) -> io::Result<()> {
        self.text(&grid.name)?;
        self.text(&format!("Tree_{}_5_4_3", T::NAME))?;
        self.text("")?; // the grid it shares its tree with
        let places = self.at;
        self.write(&[0; 24])?;
        let begin = self.at;
        self.write(&ZIP.to_le_bytes())?;
        let mut about = vec![
            ("class", Meta::Text(grid.class.name().into())),
            ("file_voxel_count", Meta::Long(values.active_voxels() as i64)),
            ("is_saved_as_half_float", Meta::Flag(false)),
            ("name", Meta::Text(grid.name.clone())),
        ];
        if let Some([low, high]) = values.bounds() {
            about.extend([("file_bbox_min", Meta::Integers(low)), ("file_bbox_max", Meta::Integers(high))]);
        }
        if T::NAME == "vec3s" {
            // Turned with whatever the volume is turned with.
            about.push(("vector_type", Meta::Text("contravariant relative".into())));
        }
        self.meta(&about)?;
        self.place(grid)?;
        let tree = Tree::of(values);
        self.topology(&tree, values)?;
        let blocks = self.at;
        for leaf in tree.leaves() {
            self.mask(&leaf.active)?;
            self.values(&leaf.values)?;
        }
        let end = self.at;
        self.writer.seek(SeekFrom::Start(places))?;
        self.writer.write_all([begin, blocks, end].map(u64::to_le_bytes).as_flattened())?;
        self.writer.seek(SeekFrom::Start(end)).map(drop)
    }

    /// Where the grid lies: world = voxel × index + origin, and what OpenVDB keeps with that.
    fn place(&mut self, grid: &VdbGrid) -> io::Result<()> {
        let s = grid.voxel;
        self.text("UniformScaleTranslateMap")?;
        let [all, inverse] = [[s; 3], [1.0 / s; 3]];
        let numbers = [grid.origin, all, all, inverse, inverse.map(|x| x * x), inverse.map(|x| 0.5 * x)];
        self.write(numbers.as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>().as_slice())
    }

    /// Which nodes there are, and the values of those that are no leaves.
    fn topology<T: VdbValue>(&mut self, tree: &Tree<T>, values: &SparseGrid<T>) -> io::Result<()> {
        self.write(&1_i32.to_le_bytes())?; // buffers of each leaf
        let mut background = Vec::new();
        values.background.put(&mut background);
        self.write(&background)?;
        self.write(&0_u32.to_le_bytes())?; // tiles of the root
        self.write(&(tree.upper.len() as u32).to_le_bytes())?;
        for (at, upper) in &tree.upper {
            self.write(at.map(|x| (x << (UPPER + LOWER + LEAF)).to_le_bytes()).as_flattened())?;
            self.node(UPPER, upper.iter().map(|(at, _)| *at), values.background)?;
            for (_, lower) in upper {
                self.node(LOWER, lower.iter().map(|(at, _)| *at), values.background)?;
                for (_, leaf) in lower {
                    self.mask(&leaf.active)?;
                }
            }
        }
        Ok(())
    }

    /// Which children a node has, and that all the rest of it is background.
    fn node<T: VdbValue>(
        &mut self,
        side: u32,
        children: impl Iterator<Item = usize>,
        background: T,
    ) -> io::Result<()> {
        let count = 1_usize << (3 * side);
        let (mut mask, mut values) = (vec![0_u64; count / 64], vec![background; count]);
        for child in children {
            mask[child / 64] |= 1 << (child % 64);
            values[child] = T::default();
        }
        self.mask(&mask)?;
        self.mask(&vec![0; count / 64])?; // tiles that are active
        self.values(&values)
    }

    fn mask(&mut self, words: &[u64]) -> io::Result<()> {
        self.write(&words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>())
    }

    /// Values packed: how many bytes, then those; below zero the number of bytes that packing would not make fewer.
    fn values<T: VdbValue>(&mut self, values: &[T]) -> io::Result<()> {
        self.write(&[ALL_VALUES])?;
        let mut bytes = Vec::new();
        values.iter().for_each(|value| value.put(&mut bytes));
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(&bytes)?;
        let packed = packed.finish()?;
        if packed.len() < bytes.len() {
            self.write(&(packed.len() as i64).to_le_bytes())?;
            self.write(&packed)
        } else {
            self.write(&(-(bytes.len() as i64)).to_le_bytes())?;
            self.write(&bytes)
        }
    }
}

/// Leaves with their place in the node above, in the order of the file.
type Lower<'a, T> = Vec<(usize, &'a Leaf<T>)>;

/// Lower nodes with their place in the node above.
type Upper<'a, T> = Vec<(usize, Lower<'a, T>)>;

/// Leaves by the places of their nodes and their own.
type Nodes<'a, T> = BTreeMap<[i32; 3], BTreeMap<usize, BTreeMap<usize, &'a Leaf<T>>>>;

/// The leaves below the nodes that hold them, each sorted by its place.
struct Tree<'a, T> {
    upper: Vec<([i32; 3], Upper<'a, T>)>,
}

impl<'a, T: VdbValue> Tree<'a, T> {
    fn of(values: &'a SparseGrid<T>) -> Self {
        let mut nodes: Nodes<T> = BTreeMap::new();
        for (at, leaf) in &values.leaves {
            let lower = at.map(|x| x >> LOWER);
            let within = |at: [i32; 3], side| index(at.map(|x| x & ((1 << side) - 1)), side);
            let upper = nodes.entry(lower.map(|x| x >> UPPER)).or_default();
            upper.entry(within(lower, UPPER)).or_default().insert(within(*at, LOWER), leaf);
        }
        let upper = nodes.into_iter().map(|(at, upper)| {
            (at, upper.into_iter().map(|(at, lower)| (at, lower.into_iter().collect())).collect())
        });
        Self { upper: upper.collect() }
    }

    fn leaves(&self) -> impl Iterator<Item = &'a Leaf<T>> + '_ {
        let lower = self.upper.iter().flat_map(|(_, upper)| upper);
        lower.flat_map(|(_, lower)| lower.iter().map(|(_, leaf)| *leaf))
    }
}
