//! The certificate: a self-contained JSON document that says why a lower bound holds.
//!
//! ```text
//! Certificate
//!   program        the affine program the claims are about
//!   dependences    who wrote the value that an operand reads; every other part refers to these by position
//!   live           why the counted instances are needed for a result
//!   claims         bounds, each with its own kind of proof
//! ```
//!
//! Everything here is data that was typed in by somebody: sets and maps in isl notation, formulas and
//! rationals as text. Nothing is believed before [`check`](crate::check) has looked at it.
//!
//! Vertices of the graph (G-1) are the instances of statements that compute something. A *copy* (a statement
//! whose value is a bare operand) is not a vertex: its value is the value it copies, so an [`Edge`] steps over
//! copies. A statement without operands is a constant, and so is what is computed from constants alone: free, and no
//! vertex either. Inputs are cells of arrays that are read before they are written.

mod spills;

use serde::{Deserialize, Serialize};

pub use self::spills::{Side, Spills, Waiting};
use crate::model::Model;
use crate::refusal::{Cause, Refusal, Result};

/// The schema of certificates.
pub const SCHEMA: &str = "redblue.certificate";
/// The version of the format.
pub const VERSION: u32 = 1;

/// A set, a relation or a function in isl notation.
pub type IslText = String;
/// A formula in the notation of redblue-math.
pub type Formula = String;
/// A rational number such as `1/2`.
pub type RationalText = String;

/// Claims about one program, with their proofs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// `redblue.certificate`.
    pub schema: String,
    /// Version of the format.
    pub schema_version: u32,
    /// The program.
    pub program: crate::text::ProgramText,
    /// The flow dependences the proofs use.
    pub dependences: Vec<Dependence>,
    /// Why instances are needed.
    pub live: Vec<LiveSet>,
    /// The bounds.
    pub claims: Vec<Claim>,
}

impl Certificate {
    /// Reads a certificate; nothing in it is believed yet.
    pub fn from_json(text: &str) -> Result<Certificate> {
        serde_json::from_str(text).map_err(|error| Refusal::new(Cause::Format, error.to_string()))
    }

    /// How many statements are verified one by one when the certificate is checked: dependences, live sets, groups of
    /// targets, families of paths, and claims.
    pub fn steps(&self) -> usize {
        let groups = self.claims.iter().flat_map(|claim| match &claim.proof {
            Proof::Phases(phases) => phases.groups.as_slice(),
            Proof::Compulsory | Proof::Wavefront(_) | Proof::Spills(_) | Proof::Crossing(_) => &[],
        });
        let inside: usize = groups.map(|group| 1 + group.families.len()).sum();
        self.dependences.len() + self.live.len() + self.claims.len() + inside
    }

    /// The certificate as a JSON document.
    pub fn to_json(&self) -> Result<String> {
        serde_json::to_string_pretty(self)
            .map_err(|error| Refusal::new(Cause::Format, error.to_string()))
    }
}

/// `operand` of every instance in the domain of `relation` reads the value that `writer` wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dependence {
    /// Name of the reading statement.
    pub reader: String,
    /// Position of the operand among the reads of the reader.
    pub operand: usize,
    /// Name of the writing statement, or none if the cell is an input of the program (a cell of a parameter or a
    /// global array that nobody wrote before; a local array has no inputs).
    pub writer: Option<String>,
    /// `{ reader[x] -> writer[y] }`, or `{ reader[x] -> array[cell] }` for an input; single-valued.
    pub relation: IslText,
}

/// Instances of one statement (copies included) that reach a result: each either writes the final value of an output cell,
/// or is read, by one of the dependences, by an instance in the live set of the reader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LiveSet {
    /// `{ S0[i, j] : … }`.
    pub instances: IslText,
}

/// One step backwards in the graph: from an instance to a value it needs, over any number of copies.
///
/// The relation of an edge is the composition of the relations of its dependences; the writer of each but the
/// last is a copy, and the reader of the next one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Edge(pub Vec<usize>);

/// A bound and why it holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Name of the method that found it; for people, without meaning for the proof.
    pub method: String,
    /// The model the bound is claimed for.
    pub model: Model,
    /// The bound claimed, a formula in the sizes and `S` that must hold for all positive sizes of the program's context
    /// that satisfy the conditions, and every S ≥ 1.
    pub formula: Formula,
    /// `[N, M] -> { : N <= M }`: conditions on the sizes under which the formula is claimed; usually none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<IslText>,
    /// The proof.
    pub proof: Proof,
}

/// The kinds of proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Proof {
    /// Inputs that reach a result must be loaded, results must be stored (G-4.3, U-15).
    Compulsory,
    /// Phases of T loads compute little (G-6, G-8, G-10, X-1).
    Phases(Phases),
    /// Values that must survive the computation of hubs (X-6).
    Wavefront(Wavefront),
    /// Values that wait for hubs, made from, or used with, words that all hubs share.
    Spills(Spills),
    /// Values that must survive the moment at which two opposite recurrences meet.
    Crossing(Crossing),
}

/// The phase argument.
///
/// Let X be the union of the targets, split into groups g with V_g targets. Let Z be the set of all terminals.
/// An *event* is a load or the computation of a terminal. Cut a play after events, S + T in the first phase and
/// T in the others; a phase then has at most K = S + T words that were resident at its start, loaded, or
/// terminals computed in it. If each group's capacity U_g bounds the targets computed with K_g such words at its
/// disposal, U_g(cK) ≤ c·U_g(K) for 0 ≤ c ≤ 1, and groups use disjoint words, then a phase satisfies
/// Σ_g |E ∩ X_g| / U_g(K) ≤ 1. With x = Σ_g V_g / U_g(S+T), h = ⌈x⌉: if h ≥ 2 then
/// `loads ≥ T·(h − 1) + S + 1 − |Z|` (G-6, G-10). Without restriction on h, `loads ≥ T·(x − 1) + S − |Z|` for every T ≥ S: let Q be the number of events.
/// If Q > S + T, there are less than 2 + (Q − S − T)/T phases, and at least x. If Q ≤ S + T, there is one phase, and memory was empty at its start: the targets were computed
/// with Q words, so V_g ≤ U_g(Q_g) ≤ (Q_g/K)·U_g(K) for words Q_g that add up to at most Q, and Q ≥ (S + T)·x ≥ T·(x − 1) + S.
/// What capacities take off x (below) is at least as much as they would with fewer words, so the same holds for them.
///
/// A claim without terminals whose capacities do not rest on convexity (the hourglass does) holds with recomputation too (G-8): take the phase of the first computation, and
/// let every path be followed until it meets a word that was resident at the start of the phase or was loaded
/// and not first computed in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phases {
    /// The groups of targets.
    pub groups: Vec<Group>,
    /// The length T of a phase: integer-valued expressions in the sizes and S. The bound is the largest over them.
    /// `T = c·S` with a positive integer c is always positive; any other T is used as max(0, T) and without the
    /// term S.
    pub lengths: Vec<Formula>,
}

/// Targets with a common capacity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// `{ S0[i, j, k] -> [i, j, k] : … }` per statement: the targets and where they lie in a common space Z^d.
    /// Injective as a whole: no two targets, of whatever statement, at one point.
    pub targets: Vec<IslText>,
    /// `{ T[i, j, k] -> [i, j, k] : … }`: *private* values, each with the point of the one target it belongs to; usually none.
    ///
    /// A path may lead from a target over private values of that target to its first member, whatever their label: a
    /// product that is kept in a temporary before it is added. Private values are no members. Let x of the K words of a phase be private:
    /// at most x of its targets E belong to one of them. For the others all private values on their paths were computed in the phase, so they have
    /// only the other K − x words at hand, and |E| ≤ x + U(K − x) ≤ max(K, U(K)), because U is convex and U(0) = 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub private: Vec<IslText>,
    /// What each target needs.
    pub families: Vec<Family>,
    /// How many targets can be computed with K words.
    pub capacity: Capacity,
}

/// Paths that lead from every target back to an input or a terminal, along which a label never changes.
///
/// Members (values a path can go through) have labels, and so have the targets, by their `projection`. A target has an edge to an input or a
/// member with the target's label, or is itself a member with that label and a terminal. A member is a terminal, or
/// has an edge to an input or a member with its own label. So from a target computed in a phase the path leaves the phase, or ends in a terminal, at
/// a word with the target's label, and different labels need different words: |labels of E| ≤ number of words used.
/// The label of a word is a function of the word alone; a statement can be a target with one label and a member with another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Family {
    /// The label of a target at point p of the common space is the matrix times p, one row per component.
    pub projection: Vec<Vec<i64>>,
    /// The share of a word this family may claim for itself: if a word can be used by several families, their
    /// weights there add up to at most 1.
    pub weight: RationalText,
    /// `{ S0[i, j, k] -> [i, j] : … }`: the members with their labels; the union is single-valued.
    pub members: Vec<IslText>,
    /// `{ A[i, k] -> [i, k] }`: labels of input cells.
    pub inputs: Vec<IslText>,
    /// The steps.
    pub edges: Vec<Edge>,
    /// `{ S0[i, j, k] : k = 0 }`: members at which a path may end.
    pub terminals: Vec<IslText>,
}

/// How many targets of a group can be computed with K words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Capacity {
    /// `|E| ≤ Π_j |φ_j(E)|^{s_j} · Π_i L_i^{ζ_i}` (G-12), with Σ_j w_j |φ_j(E)| ≤ K:
    /// `U(K) = Π L^ζ · (K/σ)^σ · Π (s_j/w_j)^{s_j}`, σ = Σ s_j ≥ 1.
    BrascampLieb {
        /// s_j, one per family.
        exponents: Vec<RationalText>,
        /// Coordinates that take few values.
        extents: Vec<Extent>,
    },
    /// Two accesses of one array exchanged by a symmetry (X-4).
    ///
    /// Coordinates of the common space are split into i, j (equally many) and k; no target has i = j, and no two
    /// targets are exchanged by swapping i and j. Family `chain` has label (i, j). Each pair of families has labels (i, k) and (j, k),
    /// and gives one word the same label in both. Then |E_k| ≤ |R_k|²/2 and |E_k| ≤ x give |E| ≤ sqrt(x/2)·Σ|R_k|, and x + m·Σ|R_k| ≤ K
    /// for m pairs of disjoint words: `U(K) = (√2/m)·(K/3)^{3/2}`.
    Symmetric {
        /// Coordinates i.
        i: Vec<usize>,
        /// Coordinates j.
        j: Vec<usize>,
        /// Coordinates k.
        k: Vec<usize>,
        /// Position of the family with label (i, j).
        chain: usize,
        /// Positions of the families with labels (i, k) and (j, k).
        pairs: Vec<(usize, usize)>,
    },
    /// The hourglass (H-5 to H-11).
    Hourglass(Hourglass),
    /// Complete reductions (X-2, A-4).
    Reduction(Reduction),
    /// Fused chains (X-3).
    Fused(Fused),
    /// Sums in any order.
    Merging(Merging),
    /// Two statements that read one operand, each as the mirror image of the other (X-1).
    Mirror(Mirror),
}

/// `lower ≤ row · p ≤ upper` for all targets p, so the coordinate takes at most L = upper − lower + 1 values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extent {
    /// The coordinate, a linear form on the common space.
    pub row: Vec<i64>,
    /// An affine function of the sizes, `[N] -> { [0] }`-style text of a formula.
    pub lower: Formula,
    /// An affine function of the sizes.
    pub upper: Formula,
    /// ζ_i.
    pub exponent: RationalText,
}

/// The hourglass pattern: between two consecutive ticks of the temporal coordinate every target of a column
/// depends on every earlier one, through a hub.
///
/// Coordinates: one temporal k, neutral j, width i. For each (k, j) the hub H(k, j) is one vertex; every target at (k, j, ·) with a successor tick reaches the hub of the
/// next tick (k + step, j) and every target at (k, j, ·) is reached by H(k, j). Ticks of a column j are consecutive. Family 0 has label (i, j), family 1 has label (i, k), each alone within K words.
///
/// *Structure* (H-7, H-8). E is what a phase computes: convex. Ticks of column j in E that lie strictly between its first and its last are whole slices: *inner* targets. Every
/// column has at most two other ticks, so there are at most 2·|φ_ij(E)| ≤ 2K *outer* targets. W is the least width of a slice.
///
/// *Capacity*, by what is known about the words of the two families ([`Sharing`]):
///
/// ```text
/// any           inner ≤ K²/W (H-9)                                          U(K) = K²/W + 2K
/// disjoint      per row i: sources × columns, together c_i words            U(K) = max(2K, K²/(4W) + 9W/4)
/// columns       per row i: pairs k ≠ j of c_i columns                       U(K) = max(2K, K²/(2W) + 9W/8)
/// far-columns   the same, no three columns pairwise related                 U(K) = max(2K, K²/(4W) + 9W/4)   for targets with |j − k| > max(1, ⌊K/W⌋)
/// ```
///
/// Proof of the last three. Call (i, c) *met* if some target of E has the label (i, c) in one of the families; distinct labels need distinct words, so the number c_i of columns met in row i satisfies Σ c_i ≤ K
/// (for `disjoint`, sources k and columns j are counted apart). In row i the targets of E are edges k → j of a graph on c_i vertices: at most c_i²/4 if it is bipartite or has no triangle (Mantel), at most c_i²/2 always; write c_i²/a
/// with a = 4 or 2. Let C be the columns and sources of inner targets and μ = |C|: a slice is whole, so each has at least W rows, and Σ_i d_i ≥ μW for the number d_i ≤ min(μ, c_i) of them met in row i. Row i has at most d_i²/a inner
/// targets and twice c_i outer ones. Hence row i has at most v(c_i), v(c) = min(c²/a, min(μ, c)²/a + 2c). With c* the solution of c²/a = μ²/a + 2c and s = (c* + μ)/a, v(c) ≤ s·c − (c*/a)·min(μ, c) for every c ≥ 0
/// (a chord of the parabola), so |E| ≤ s·K − c*·μ·W/a. For every integer μ ≥ 1 and every K this is at most max(2K, K²/(4W) + 9W/4) if a = 4, and at most max(2K, K²/(2W) + 9W/8) if a = 2;
/// for μ = 0 all targets are outer.
/// *No triangle* when |j − k| ≥ D = max(2, ⌊K/W⌋ + 1) for all targets and k < j for all (or k > j for all): of three columns pairwise related one, z, is the target of the other two, x and y, and one of these is the target of the other. All ticks of z strictly between x and y are inner, so if there are any,
/// they and z are |x − y| members of C, hence |x − y| ≤ μ ≤ K/W < D, or |x − y| = 1 < D: a contradiction. At most max(1, ⌊K/W⌋) ticks of a label (i, j) are nearer than D, so V − max(1, ⌊K/W⌋)·|φ_ij(X)| targets are far.
///
/// U(K) = 2K for all targets while no slice can be whole: K ≤ W − 1 for `any`, K ≤ 2W − 1 otherwise. In formulas max(2K, K²/(4W) + 9W/4) ≤ (K² + 16W²)/(4W) and max(2K, K²/(2W) + 9W/8) ≤ (K² + 4W²)/(2W) may stand for the maxima.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hourglass {
    /// The temporal coordinate.
    pub time: usize,
    /// +1 or −1: the direction in which ticks follow each other.
    pub step: i64,
    /// The neutral coordinates.
    pub neutral: Vec<usize>,
    /// The width coordinate.
    pub width: usize,
    /// W: an affine function of the sizes; every non-empty slice (k, j) has at least W targets.
    pub least_width: Formula,
    /// What is known about the words of the two families.
    pub sharing: Sharing,
    /// `{ SR[k, j, i] -> [k, j] : i = M - 1 }`: the hubs with the slice they serve (time first, then the neutral coordinates).
    pub hubs: Vec<IslText>,
    /// Why targets reach the hub of the next tick: labels (k, j) of the hub.
    pub into: Reach,
    /// Why hubs reach the targets of their slice: labels (k, j) of the hub.
    pub out_of: Reach,
}

/// What is known about the words that the two families of an hourglass can use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sharing {
    /// Nothing.
    Any,
    /// No word can be used by both.
    Disjoint,
    /// There is one neutral coordinate, all targets have k < j or all have k > j, and a word that both can use has the same label in both.
    Columns,
    /// The same, and only targets far from the diagonal are counted.
    FarColumns,
}

/// A set of vertices with labels, each of which has an edge to (or from) another one with the same label, or is a hub.
///
/// Dependences are acyclic, so every member reaches (or is reached by) the hub with its label.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reach {
    /// `{ SR[k, j, i] -> [k, j] : … }`: members with their labels, hubs included.
    pub members: Vec<IslText>,
    /// The steps (each from reader to what it needs).
    pub edges: Vec<Edge>,
}

/// Complete reductions: a target is finished in a phase only if all that it reduces is at hand (X-2).
///
/// Each target (a root) lies at a point of the common space. Its tree is a set of vertices labelled with that point; each is either
/// in the words at hand, or all its operands in the tree are, and every leaf family provides at least W_j different words with the label of the
/// target. With K words, x0 of them in trees, complete targets satisfy Σ_j W_j |φ_j(X_c)| ≤ K − x0.
/// For two leaf families whose labels together determine the target: `U(K) = max(K, K²/(4·W_1·W_2))`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reduction {
    /// `{ S[i, j, r] -> [i, j] }`: the vertices of the trees with the point of their root, roots included.
    pub trees: Vec<IslText>,
    /// Edges from a vertex of a tree to another of the same tree: all operands of a tree vertex that lie in the tree.
    pub links: Vec<Edge>,
    /// The leaves.
    pub leaves: Vec<Leaves>,
}

/// Words that a complete target needs, W of them for each label.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Leaves {
    /// The label of a target at point p is the matrix times p.
    pub projection: Vec<Vec<i64>>,
    /// `{ Q[i, r] -> [i] }`: input cells with their label.
    pub inputs: Vec<IslText>,
    /// Edges from tree vertices to those inputs.
    pub edges: Vec<Edge>,
    /// W: an affine function of the sizes; every target has at least W such inputs.
    pub words: Formula,
}

/// Sums in any order: the running value of a sum need not come in, but what a phase adds up must go on.
///
/// Targets are the summands of L sums; the label of a sum is `projection` times the point of a summand, one sum per label. Nothing is computed twice. A phase that computes summands of t sums, with y partial sums and Σ w_j |φ_j(E)| words of the families at hand, all
/// different, computes at most `Π_j |φ_j(E)|^{s_j} · t^{s}` of them (G-12), and Σ w_j |φ_j(E)| + y ≤ K. Every sum that a phase touches leaves a vertex computed in that phase, the last one on the way from the summand to the end of the sum: it is the end, L times over all phases, or a partial sum at hand
/// in a later phase. So Σ(t − y) ≤ L over all phases. With σ' = Σ s_j, σ = σ' + s ≥ 1 and
///
/// ```text
/// U(K) = s^s·(1 − s)^{1−s} · Π (s_j/(w_j·σ'))^{s_j} · K^σ
/// ```
///
/// every phase computes at most U + (U/K)(t − y) of the targets: with m = U/K and x words of families, the largest of c·x^{σ'}·t^s − m·t over t is proportional to x^{σ'/(1−s)}, which is convex, so that it and m·y ≤ m·(K − x) together are largest for x = 0, where they are m·K = U, or for x = K, where they are U by the choice of U. Summing up,
/// V ≤ h·U + (U/K)·L: x = V/U − L/K takes the place of V/U, and such a group stands alone. For the matrix product U = K^{3/2}/4: loads ≥ (8/(3√3))·mnk/√S − (2/3)·mn − S.
///
/// *Targets that lead to a summand* (`onto`): `t = a·b; c += t`, where the product is a vertex of its own, or `c += d·t`. Each target has a way of vertices with one label to a running value of the sum of that label. They are no parts of sums themselves, so that they
/// exist whatever the order of sums. Follow the way from a target that a phase computes, and from its end the partial sums that hold what came in there, up to the end of the sum: all of them carry the label, and the last one computed in that phase is the end of the sum, or at hand in a later phase. So
/// Σ(t − y) ≤ L holds as before, t counting the labels of targets computed in a phase and y the vertices of ways and the partial sums at hand in it. Vertices computed in different phases or with different labels are different, so none is counted twice; and no family uses one of them, so
/// that Σ w_j |φ_j(E)| + y ≤ K. Nothing else is asked of summands above.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Merging {
    /// s_j, one per family.
    pub exponents: Vec<RationalText>,
    /// The label of the sum of a summand at point p is the matrix times p.
    pub projection: Vec<Vec<i64>>,
    /// s, between 0 and 1.
    pub exponent: RationalText,
    /// The sums, if targets are not their running values but lead to them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub onto: Option<Onto>,
}

/// Sums that targets lead to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Onto {
    /// `{ S1[i, j, k] -> [i, j] }`: the running values with the label of their sum.
    pub sums: Vec<IslText>,
    /// The ways: targets and what lies between them and the running values, with the label of the sum; the running values are members, too.
    pub ways: Reach,
}

/// Fused chains: values that are reduced, mapped and consumed, so that one of them alone is worth little (X-3).
///
/// Targets are *hubs*, one per point of the common space. The *bundle* of a point is its hub with vertices that carry the same point: `before`, which the hub needs, and `after`, which need the
/// hub. Nothing is computed twice. A bundle is *clean* in a phase that computes all of it. Any other bundle has an edge between two of its vertices that are computed in different phases, because it is connected; the value at the lower end
/// of such an edge is resident at the start of the later phase or loaded in it: charge the bundle to that phase. If z bundles are charged to a phase, z of its K words are vertices of bundles.
/// All users of a clean bundle are computed in the phase, so each label of a [`Need`] has a word at hand (as for a [`Family`]): W_f·|φ_f(clean)| words for need f, no word twice. Add up the W_f of needs with the same φ:
/// two of them, φ_1 and φ_2, which together determine the point. Then `W_1·|φ_1| + W_2·|φ_2| + z ≤ K` and clean bundles number at most |φ_1|·|φ_2|, so
///
/// ```text
/// U(K) = max(K, K²/(4·W_1·W_2))
/// ```
///
/// For attention in the program's own order, φ_1 is the row (d words of Q and d running sums of O), φ_2 the column (d words of K and of V): loads ≥ 4·N²·d²/S − N·d for S ≥ 8d²; sums that start are terminals.
///
/// *Sums in any order* (`sums`). Running sums need not come in. Let w be the number of sums that a clean bundle contributes to, all with labels that tell φ_1, and L the number of all sums. A sum to which a phase contributes leaves a partial sum computed in that phase: the last
/// one on the way from the summand to the end of the sum. It is the end itself, L times over all phases, or it is at hand in a later phase. So with i = |φ_1|, j = |φ_2| and y partial sums at hand, Σ(w·i − y) ≤ L over all phases, and W_1·i + W_2·j + y + z ≤ K in each.
/// With U(K) = max(K, K²/(W_2·(√W_1 + √(W_1 + w))²)) every phase satisfies `i·j + z ≤ U + (U/K)·(w·i − y)`: put y = K − W_1·i − W_2·j − z, which is the worst case; as U ≥ K, z = 0 is; the rest is linear in j, and holds for j = 0, and for W_2·j = K − W_1·i it reads, with
/// a = W_1·i/K and ρ = w/W_1, `a(1 − a)/(1 + ρa) ≤ U·W_1·W_2/K²`, whose left side is at most 1/(1 + √(1 + ρ))². Summing up, V ≤ h·U + (U/K)·L, so x = V/U − L/K takes the place of V/U; such a group stands alone. For attention: loads ≥ ((3 + 2√2)/2)·N²·d²/S − N·d/2.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fused {
    /// Vertices that hubs need, labelled with the point.
    pub before: Reach,
    /// Vertices that need a hub, labelled with the point.
    pub after: Reach,
    /// What a clean bundle needs.
    pub needs: Vec<Need>,
    /// The sums that a clean bundle contributes to, if they may be taken in any order.
    pub sums: Option<PartialSums>,
}

/// Words that a clean bundle needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Need {
    /// φ: an integer matrix on points. Labels tell its value.
    pub projection: Vec<Vec<i64>>,
    /// `{ S[i, j, l] -> [i, j, l] }`: vertices of bundles, at points of a space that begins with the coordinates of the bundle's point.
    pub users: Vec<IslText>,
    /// Paths from the users; the projection is from the users' space.
    pub family: Family,
    /// W: an affine function of the sizes; every bundle has at least so many labels.
    pub words: Formula,
}

/// Sums to which bundles contribute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartialSums {
    /// φ_1.
    pub projection: Vec<Vec<i64>>,
    /// `{ S[i, j, c] -> [i, c] }`: the summands with the label of their sum.
    pub summands: Vec<IslText>,
    /// w: an affine function of the sizes; every bundle contributes to at least so many sums.
    pub words: Formula,
}

/// Two sets of targets, *sheets*, that read one operand as mirror images of each other: a product with a symmetric matrix of which one half is stored (X-1, U-11).
///
/// Each sheet r lies at points (o, t, c) of one space: o and t single coordinates, the column c all others. Its family `chain` has label (o, c), `operand` label (t, c), `shared` label (o, t). Words of the two chains, of both operands together, and of both shared families
/// together are four disjoint sets. A word has one label in the two operand families, and one in the two shared ones, where the second sheet's label is that of the first with o and t exchanged: the word of (o, t) in sheet 0 is that of (t, o) in sheet 1, its *twin*.
///
/// E is what a phase computes; a = number of words of the shared families at hand. In column c let F be the pairs (r, o), t of E, O the set of its (r, o), T the set of its t: |F| ≤ |O|·|T|, and a + Σ_c (|O| + |T|) ≤ K. At most a targets of a sheet lie in one column.
///
/// *Not ordered*: with O_r the part of O of sheet r, |F| ≤ √(a·|O_0|·|T|) + √(a·|O_1|·|T|) ≤ √(2a·|O|·|T|) ≤ √(a/2)·(|O| + |T|), hence |E| ≤ √(a/2)·(K − a) and `U(K) = √2·(K/3)^{3/2}`.
///
/// *Ordered*: in each sheet all targets have t > o, or all have t < o; the targets with one (o, c) have consecutive t and each needs the one before (in a fixed direction). Nothing is computed twice, so E is convex. Count only targets that are *far*: |o − t| ≥ D = √(8K). For each (r, o) of a column the far t of E
/// form an interval. Then `U(K) = (K/3)^{3/2}`, because |E| ≤ (√a/2)·(K − a) or a ≥ 2K/3 and |E| ≤ √(a/2)·(K − a) ≤ (K/3)^{3/2}:
/// * Take F as a bipartite graph between O and T. In a connected component without twins all shared words differ, so it has at most min(a, |O'|·|T'|) ≤ (√a/2)·(|O'| + |T'|) edges. The intervals of a component overlap in a chain, so T' is an interval; with twins (o, t), (t, o) it contains o and t and has more than D elements.
/// * So if |F| > (√a/2)·w, w = |O| + |T|, then some component has twins and |T| > D. If a < 2K/3, then |T| > √(12·a). But |F| ≤ 2a gives w < 4√a, and |F| ≤ |T|·(w − |T|) gives w > |T|²/(|T| − √a/2) > 12·√a/(√12 − 1/2) > 4·√a: a contradiction.
///
/// At most D targets of a label (o, c) of a sheet are not far: with L such labels in both sheets x = V/U − D·L/U takes the place of V/U, and such a group stands alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mirror {
    /// The two sheets; together they are the group's targets.
    pub sheets: Vec<Sheet>,
    /// Whether the order of the chains is used.
    pub ordered: bool,
}

/// One of two sets of targets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sheet {
    /// `{ S1[i, j, k] -> [k, i, j] }`: the targets at (o, t, c).
    pub targets: Vec<IslText>,
    /// Label (o, c).
    pub chain: Family,
    /// Label (t, c).
    pub operand: Family,
    /// Label (o, t) in the first sheet, (t, o) in the second.
    pub shared: Family,
}

/// Hubs c(t), one vertex per index t, and for every t paths that start before the hub and end after it.
///
/// For each t, paths share no vertex except their ends; the first vertex of a path is an input, the hub, or reaches it, and the last one is
/// reached by c(t). When c(t) has just been computed, each path has a value that is there (computed, or an input) and whose successor on the path is not computed: it
/// is resident, or will be loaded again. At most S values are resident. So at least |paths of t| − S vertices of these paths, ends excluded, are loaded after c(t) and not later than the end of their path.
/// `loads ≥ Σ_t max(0, |paths of t| − S)` if these loads are different for different t, for one of two reasons:
/// * `next` is absent, and paths of different t share no vertex except ends;
/// * `next` is present: ends reach c(t + step), so the loads of t come after c(t) and before c(t + step), and the indices with paths form one sequence t, t + step, t + 2·step, … (exactly one of them has no predecessor).
///
/// Inputs that reach a result and no path starts at are loaded besides: their number is added. If `next` is absent, so is that of the inputs paths start at, provided each has an edge from a member of `before` with the label t:
/// it is loaded once before c(t).
///
/// Values are stored, too. A value that is computed, not resident when c(t) has just been computed, and loaded later, was stored before. Let m_t be the number of
/// paths of t on which every vertex but the end is computed, is no result, and is on no such path of another index: at most S of the values that they have at that moment are resident, so m_t − S of them are stored,
/// and they differ from the results and from those of other t. `stores ≥ results + Σ_t max(0, m_t − S)`. Bundles whose paths meet elsewhere are left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wavefront {
    /// `{ S3[k] -> [k] }`: the hubs and their index.
    pub hubs: Vec<IslText>,
    /// The paths.
    pub bundles: Vec<Bundle>,
    /// Why starts reach the hub of their index.
    pub before: Reach,
    /// Why ends are reached by the hub of their index.
    pub after: Reach,
    /// Why ends reach the next hub.
    pub next: Option<Next>,
}

/// Paths of one shape: all made of the same steps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bundle {
    /// `{ [[t] -> [l]] -> S4[…] }`: the last vertex of the path with index t and label l.
    pub ends: IslText,
    /// The steps of a path, from its end back to its start; at least one. Each step is a choice of edges, and exactly one of them is defined at every vertex.
    pub steps: Vec<Vec<Edge>>,
}

/// The sequence of hubs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Next {
    /// What is added to an index to get the next one.
    pub step: Vec<i64>,
    /// Ends, labelled with the index of the hub they reach.
    pub reach: Reach,
}

/// Opposite recurrences over the same positions: filters that run forwards and backwards over a line, and what both have read.
///
/// A line t has consecutive positions i. F(t, i) needs F(t, i − 1), B(t, i) needs B(t, i + 1). Nothing is computed twice. Look at the moment when for every i of the line F(t, i) or B(t, i) has been computed, for the first time: F is known up to some f, and B from f + 1 on, because
/// F is computed upwards, B downwards, and just before that moment one position was missing. At this moment
/// * `meets`: of F(t, i) and B(t, i) one is known and the other is not; a vertex that needs both is still to be computed, so the known one is needed again: one word for every position of such vertices;
/// * `reads`: a word read by F(t, i) and by B(t, i + offset) has been used by one of them and is needed by the other, except for |offset| words: those with neither or both (f < i and i + offset ≤ f, or i ≤ f and i + offset > f).
///
/// All of these are different words. Each is resident, at most S of them, or loaded later: n_t − S loads of words of this line, and inputs among them were loaded before. With m the sum of |offset| and all words of all lines different,
/// `loads ≥ inputs + Σ_t max(0, n_t − m − S)`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Crossing {
    /// Sets of lines.
    pub lines: Vec<Lines>,
}

/// Lines of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lines {
    /// `{ S1[i, j] -> [i, j] }`: the vertices F at (t, position); the last coordinate is the position.
    pub forward: Vec<IslText>,
    /// The vertices B.
    pub backward: Vec<IslText>,
    /// The steps along F and along B.
    pub edges: Vec<Edge>,
    /// `{ S3[i, j] -> [i, j] }`: vertices that need F and B of their position.
    pub meets: Vec<IslText>,
    /// The edges from them.
    pub meeting: Vec<Edge>,
    /// Words that both recurrences read.
    pub reads: Vec<Readings>,
}

/// Words read by F(t, i) and by B(t, i + offset).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Readings {
    /// `{ S2[i, j] -> [i, j] }`: vertices at (t, i), one for each point.
    pub values: Vec<IslText>,
    /// `{ A[i, j] -> [i, j] }`: input cells at (t, i), one for each point.
    pub inputs: Vec<IslText>,
    /// Which position of B reads them.
    pub offset: i64,
    /// The edges from F and B to them.
    pub edges: Vec<Edge>,
}
