//! Diagnostic codes of distributed plans.

use redblue_dist::plan::PlanError;
use redblue_dist::plan::text::TextError;
use redblue_program::diagnostic::Code;

/// All of them.
pub(super) static ALL: &[&Code] = &[&BAD_PLAN, &UNFIT_PLAN, &LITTLE_MEMORY, &NO_RANKS];

/// The code of an error.
pub fn of(error: &PlanError) -> &'static Code {
    match error {
        PlanError::NoRanks => &NO_RANKS,
        PlanError::Memory { .. } => &LITTLE_MEMORY,
        PlanError::TooManyRanks { .. } | PlanError::EmptySchedule | PlanError::TiledTree { .. } => {
            &UNFIT_PLAN
        }
    }
}

/// The code of an error in a written plan.
pub fn of_text(error: &TextError) -> &'static Code {
    match error {
        TextError::Plan(error) => of(error),
        TextError::Expected { .. } | TextError::Ranks { .. } | TextError::Overflow => &BAD_PLAN,
    }
}

/// The text of a plan is malformed.
pub static BAD_PLAN: Code = Code {
    id: "RB0701",
    title: "plan not understood",
    explanation: "A plan is a tree of cuts, as in m4(n2), k7 or m{3:k3,4:n2(k2)}, and after a slash its schedule, as in \
m4(n2)/steps=8 or m4(n2)/tiles=2x1,steps=8. `redblue explain plan` describes the notation.",
    example: "redblue plan matmul -m 512 -n 512 -k 512 -p 4 --plan m4(",
};

/// The plan does not fit the problem.
pub static UNFIT_PLAN: Code = Code {
    id: "RB0702",
    title: "plan does not fit the problem",
    explanation: "The plan needs more ranks than there are, or tiles of C together with cuts that do not form a grid. Ranks \
beyond those of a plan stay idle, so a plan for fewer ranks is fine.",
    example: "redblue plan matmul -m 512 -n 512 -k 512 -p 4 --plan m5",
};

/// No plan fits the memory.
pub static LITTLE_MEMORY: Code = Code {
    id: "RB0703",
    title: "too little memory for any plan",
    explanation: "Each rank holds its own parts of A, B and C, and beyond them at least a row and a column in transit. The message \
says how many words are missing. More ranks, or more memory for each, help.",
    example: "redblue plan matmul -m 512 -n 512 -k 512 -p 4 --memory 1000",
};

/// No ranks.
pub static NO_RANKS: Code = Code {
    id: "RB0704",
    title: "no ranks",
    explanation: "A plan needs at least one rank.",
    example: "redblue plan matmul -m 512 -n 512 -k 512 -p 0",
};
