//! The einsums of the catalogue.
//!
//! The TCCG benchmark collects 73 contractions of two tensors from quantum chemistry and coupled-cluster
//! methods; by the way their indices are shared they fall into eight classes, one of each is here. TCCG
//! writes them output-first, and so do the names: `abcd-dbea-ec` is the einsum `dbea,ec->abcd`.

use super::header::{HeaderError, sizes};
use super::{Entry, Group, Source};

/// One einsum and what is known about it.
pub(super) struct Contraction {
    name: &'static str,
    einsum: &'static str,
    summary: &'static str,
    reference: &'static str,
    sizes: &'static str,
    small: [&'static str; 2],
}

impl Contraction {
    /// The entry of the catalogue.
    pub(super) fn entry(&self) -> Result<Entry, HeaderError> {
        Ok(Entry {
            name: self.name,
            summary: self.summary,
            group: Group::Contraction,
            reference: self.reference,
            source: Source::Einsum(self.einsum),
            sizes: sizes(self.sizes)?,
            small: self
                .small
                .into_iter()
                .map(sizes)
                .collect::<Result<_, _>>()?,
        })
    }
}

const TCCG: &str = "Springer and Bientinesi, Design of a high-performance GEMM-like tensor-tensor multiplication, \
                    ACM TOMS 44 (2018)";

/// All einsums of the catalogue.
pub(super) static CONTRACTIONS: &[Contraction] = &[
    Contraction {
        name: "abcde-efbad-cf",
        einsum: "efbad,cf->abcde",
        summary: "Tensor of order 5 times matrix, one index summed",
        reference: TCCG,
        sizes: "a=48, b=32, c=24, d=32, e=48, f=32",
        small: [
            "a=2, b=3, c=2, d=1, e=3, f=2",
            "a=1, b=2, c=3, d=2, e=2, f=3",
        ],
    },
    Contraction {
        name: "abcd-dbea-ec",
        einsum: "dbea,ec->abcd",
        summary: "Tensor of order 4 times matrix, one index summed",
        reference: TCCG,
        sizes: "a=72, b=72, c=24, d=72, e=72",
        small: ["a=2, b=3, c=2, d=3, e=4", "a=3, b=2, c=4, d=1, e=2"],
    },
    Contraction {
        name: "abc-bda-dc",
        einsum: "bda,dc->abc",
        summary: "Tensor of order 3 times matrix, one index summed",
        reference: TCCG,
        sizes: "a=312, b=312, c=296, d=312",
        small: ["a=3, b=4, c=2, d=5", "a=4, b=2, c=5, d=3"],
    },
    Contraction {
        name: "abcdef-dega-gfbc",
        einsum: "dega,gfbc->abcdef",
        summary: "Two tensors of order 4 into one of order 6, one index summed",
        reference: TCCG,
        sizes: "a=24, b=16, c=16, d=24, e=16, f=16, g=24",
        small: [
            "a=2, b=1, c=2, d=3, e=2, f=2, g=3",
            "a=1, b=3, c=2, d=2, e=1, f=2, g=4",
        ],
    },
    Contraction {
        name: "abc-adec-ebd",
        einsum: "adec,ebd->abc",
        summary: "Tensors of order 4 and 3 into one of order 3, two indices summed",
        reference: TCCG,
        sizes: "a=72, b=72, c=72, d=72, e=72",
        small: ["a=2, b=3, c=2, d=3, e=4", "a=3, b=2, c=4, d=2, e=1"],
    },
    Contraction {
        name: "ab-cad-dcb",
        einsum: "cad,dcb->ab",
        summary: "Two tensors of order 3 into a matrix, two indices summed",
        reference: TCCG,
        sizes: "a=312, b=296, c=312, d=312",
        small: ["a=4, b=3, c=5, d=2", "a=2, b=5, c=3, d=4"],
    },
    Contraction {
        name: "ab-ac-cb",
        einsum: "ac,cb->ab",
        summary: "Matrix product",
        reference: TCCG,
        sizes: "a=5136, b=5136, c=5120",
        small: ["a=4, b=5, c=6", "a=5, b=3, c=2"],
    },
    Contraction {
        name: "abcd-aebf-fdec",
        einsum: "aebf,fdec->abcd",
        summary: "Two tensors of order 4 into one of order 4, two indices summed",
        reference: TCCG,
        sizes: "a=72, b=72, c=72, d=72, e=72, f=72",
        small: [
            "a=2, b=3, c=2, d=2, e=3, f=2",
            "a=3, b=1, c=2, d=3, e=2, f=4",
        ],
    },
    Contraction {
        name: "batched-matmul",
        einsum: "bij,bjk->bik",
        summary: "A matrix product for every member of a batch",
        reference: "Abdelfattah et al., A set of batched Basic Linear Algebra Subprograms, ACM TOMS 47 (2021)",
        sizes: "b=64, i=512, j=512, k=512",
        small: ["b=2, i=3, j=4, k=5", "b=3, i=4, j=2, k=3"],
    },
    Contraction {
        name: "mttkrp",
        einsum: "ijk,jr,kr->ir",
        summary: "Matricised tensor times Khatri-Rao product, the core of the CP decomposition",
        reference: "Ballard, Knight and Rouse, Communication lower bounds for matricized tensor times Khatri-Rao \
                    product, IPDPS (2018)",
        sizes: "i=512, j=512, k=512, r=32",
        small: ["i=3, j=4, k=2, r=5", "i=4, j=2, k=3, r=2"],
    },
    Contraction {
        name: "ttm",
        einsum: "ijk,kr->ijr",
        summary: "Tensor times matrix, the core of the Tucker decomposition",
        reference: "Kolda and Bader, Tensor decompositions and applications, SIAM Review 51 (2009)",
        sizes: "i=512, j=512, k=512, r=32",
        small: ["i=3, j=4, k=2, r=5", "i=4, j=2, k=3, r=2"],
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_output_first_notation_spell_the_einsum() {
        for contraction in CONTRACTIONS.iter().filter(|c| c.reference == TCCG) {
            let (operands, output) = contraction.einsum.split_once("->").expect("->");
            let spelt = format!("{output}-{}", operands.replace(',', "-"));
            assert_eq!(contraction.name, spelt);
        }
    }
}
