//! Values that wait for hubs: the theorem, and what a proof consists of.

use serde::{Deserialize, Serialize};

use super::{IslText, Need, Reach};

/// Values that wait for hubs, made from words that many hubs share: they are spilled, or made where these words are read again.
///
/// Each *bundle* is a connected set of vertices that carry one point p, as in [`Fused`](super::Fused); every vertex has one point. The hub c(t) of a bundle has the index t = `index`·p. The *users* of a bundle need words whose labels tell
/// φ(p); every bundle has at least W such labels, different labels need different words, and φ(p) and t together tell p. Nothing is computed twice. On side
/// * `before`, c(t) needs all users of the bundle, and another vertex of it, the *witness*, needs c(t);
/// * `after`, all users need c(t), and c(t) needs the witness.
///
/// Number the hubs with bundles in the order in which a play computes them, and cut the play into parts of w hubs each, the last one of at most w: on side `before` just after every w-th hub, on side `after` just before the hub that follows. A bundle belongs to the part of its hub.
/// * `before`: look at it when its part begins. Its hub, and so its witness, has not been computed yet; when the part ends, all its users have been.
/// * `after`: look at it when its part ends. Its hub, and so its witness, has been computed; when the part began, none of its users had been.
///
/// If witness and users are not all in the same state then, some edge of the bundle leads from a vertex that has been computed to one that has not: the value at its lower end, a *link*, is resident (a of the part's bundles) or will be loaded (b of them), and if it is no result it was stored besides the results.
/// Otherwise (n_0 of them) all users are computed within the part. These bundles have at least n_0/w values of φ, hence W·n_0/w labels, with a word for each that was resident when the part began (r of these words), was loaded in it, or is a terminal that was computed in it.
///
/// Links and words of labels are different words. At each of the m − 1 cuts the memory holds the a links of one part (of that which begins on side `before`, of that which ends on side `after`) and the r words of the part that begins: a + r ≤ S. At the
/// start of the play memory is empty and nothing has been computed; at its end everything has. With V_t hubs that have bundles, m = ⌈V_t/w⌉, V bundles and |Z| terminals, for every w ≥ 1
///
/// ```text
/// loads           ≥ c·V − max(1, c)·S·(m − 1) − |Z|     c = min(1, W/w)
/// loads + stores  ≥ c·V − max(1, c)·S·(m − 1) − |Z|     c = min(2, W/w), besides the stores of results, if no link is a result
/// ```
///
/// because b + (W/w)·n_0 − r ≥ c·(a + b + n_0) − (c·a + r), and 2·b takes the place of b with stores. Inputs that are no label words are loaded besides, and what different kinds of bundles prove adds up if their links and words are different.
/// In formulas, w = W gives V − S·V_t/W, and w = ⌈W/2⌉ gives 2·W/(W + 1)·V − 4·S·V_t/W.
///
/// For attention that finds the largest score of a row and the sum of its exponentials before it weighs (not the online form): `4·D/(D + 1)·N·M − 8·N·S/D` words for rows of any length, unless S ≥ M·D/2 or so, where K and V stay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spills {
    /// The kinds of bundles.
    pub kinds: Vec<Waiting>,
}

/// Bundles of one kind that wait for hubs of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Waiting {
    /// `{ S3[i] -> [i] }`: the hubs c(t) and their index.
    pub hubs: Vec<IslText>,
    /// Why users (or witnesses) reach the hub of their index.
    pub into: Reach,
    /// Why witnesses (or users) are reached by it.
    pub out_of: Reach,
    /// `{ S1[i, j] -> [i, j] }`: one vertex of every bundle, its centre, at its point.
    pub centres: Vec<IslText>,
    /// Vertices of bundles that their centre needs.
    pub before: Reach,
    /// Vertices of bundles that need their centre.
    pub after: Reach,
    /// An integer matrix: t as a function of p.
    pub index: Vec<Vec<i64>>,
    /// Where the users are.
    pub side: Side,
    /// What users need; all with the same projection φ. W is the sum of their words.
    pub needs: Vec<Need>,
}

/// Whether users come before their hub or after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// The hub needs them.
    Before,
    /// They need the hub.
    After,
}
