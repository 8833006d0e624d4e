//! Comparison with theory.
/// x
#[derive(Clone, Debug, serde::Serialize)]
pub struct Check {
    #[doc = "x"]
    pub case: String,
    #[doc = "x"]
    pub quantity: String,
    #[doc = "x"]
    pub measured: f64,
    #[doc = "x"]
    pub expected: f64,
    #[doc = "x"]
    pub tolerance: f64,
    #[doc = "x"]
    pub unit: &'static str,
    #[doc = "x"]
    pub pass: bool,
    #[doc = "x"]
    pub source: &'static str,
}
/// x
pub struct Case {
    #[doc = "x"]
    pub name: &'static str,
    #[doc = "x"]
    pub about: &'static str,
}
impl Case {
    /// x
    pub fn run(&self) -> Vec<Check> {
        vec![]
    }
}
/// x
pub fn select(_names: &[String]) -> Result<Vec<&'static Case>, String> {
    Ok(vec![])
}
