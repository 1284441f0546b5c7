//! Diagnostic codes of distributed plans.

use redblue_dist::plan::PlanError;
use redblue_dist::plan::text::TextError;
use redblue_program::diagnostic::Code;

/// All of them.
pub(super) static ALL: &[&Code] = &[
    &BAD_PLAN,
    &UNFIT_PLAN,
    &LITTLE_MEMORY,
    &NO_RANKS,
    &NO_TIME,
    &NO_MPI,
    &OTHER_RANKS,
    &RUN_FAILED,
    &NO_BLAS,
];

/// The code of an error.
pub fn of(error: &PlanError) -> &'static Code {
    match error {
        PlanError::NoRanks => &NO_RANKS,
        PlanError::TooLarge { .. } => &super::BAD_VALUE,
        PlanError::Memory { .. } => &LITTLE_MEMORY,
        PlanError::TimeLimit => &NO_TIME,
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

/// The time was over before a plan was found.
pub static NO_TIME: Code = Code {
    id: "RB0705",
    title: "no plan in so little time",
    explanation: "A search that is cut by --time-limit returns the best plan found so far. Here none of those looked at fits the \
memory. Give it more time, or more memory.",
    example: "redblue plan matmul -m 512 -n 512 -k 512 -p 12289 --memory 95 --time-limit 1ms",
};

/// Started by an MPI launcher, but not an MPI program.
pub static NO_MPI: Code = Code {
    id: "RB0803",
    title: "built without MPI",
    explanation: "A launcher such as mpirun or srun has started several processes, but this redblue was built without MPI, so \
that each of them would run the whole benchmark by itself. Build it with `cargo build --release --features mpi`, or run it \
without a launcher: -p then starts ranks as threads.",
    example: "mpirun -n 4 redblue bench matmul -m 512 -n 512 -k 512",
};

/// The launcher, MPI and `-p` do not agree on the number of ranks.
pub static OTHER_RANKS: Code = Code {
    id: "RB0804",
    title: "numbers of ranks differ",
    explanation: "Under a launcher the number of ranks is that of its processes; -p is not needed, and if given must be the same. \
When the launcher says several and MPI sees one, the launcher belongs to another MPI than the one redblue was built with.",
    example: "mpirun -n 4 redblue bench matmul -m 512 -n 512 -k 512 -p 5",
};

/// A distributed run ended early.
pub static RUN_FAILED: Code = Code {
    id: "RB0805",
    title: "distributed run failed",
    explanation: "A rank could not go on, arguments differ between ranks, or nothing was heard of a rank for 300 seconds. The \
message says what the first rank that noticed has seen. All ranks end.",
    example: "mpirun -n 1 redblue bench matmul -m 9 -n 9 -k 9 : -n 1 redblue bench matmul -m 8 -n 9 -k 9",
};

/// A BLAS library cannot be used.
pub static NO_BLAS: Code = Code {
    id: "RB0806",
    title: "BLAS library not usable",
    explanation: "The library given with --blas is loaded when the command runs. It must be found by the system's loader and have \
the four functions sgemm_, dgemm_, cgemm_ and zgemm_ with 32-bit integers.",
    example: "redblue bench matmul -m 512 -n 512 -k 512 --blas libnothing.so",
};
