//! Certificates written by hand: the dependences come from the front end's dataflow, which the checker does not
//! trust, and everything else is spelled out.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use redblue_cert::certificate::*;
use redblue_cert::text::ProgramText;
use redblue_cert::{Cause, Checker, Counted, LowerBound, Model, Refusal, Sums, check};
use redblue_program::build::{Assignment, ProgramBuilder};
use redblue_program::{Dataflow, ElementType, Expression, Program, Role, catalogue};

pub const LOADS: Model = Model {
    count: Counted::Loads,
    recompute: false,
    sums: Sums::Fixed,
};

pub fn kernel(name: &str) -> Program {
    let entry = catalogue::find(name).unwrap();
    entry.read(&Default::default()).program.unwrap()
}

/// A certificate without claims, with every dependence of the dataflow and every instance live.
pub fn certificate(program: &Program) -> Certificate {
    let flow = Dataflow::of(program).unwrap();
    let mut dependences = Vec::new();
    for (id, operands) in flow.statements() {
        let reader = program.statement(id);
        for (operand, sources) in operands.iter().enumerate() {
            for (writer, map) in &sources.producers {
                dependences.push(Dependence {
                    reader: reader.name.clone(),
                    operand,
                    writer: Some(program.statement(*writer).name.clone()),
                    relation: map.reverse().unwrap().to_string(),
                });
            }
            if let Some(map) = &sources.input {
                dependences.push(Dependence {
                    reader: reader.name.clone(),
                    operand,
                    writer: None,
                    relation: map.to_string(),
                });
            }
        }
    }
    let live = program.statements.iter().map(|s| LiveSet {
        instances: s.domain.to_string(),
    });
    Certificate {
        schema: SCHEMA.into(),
        schema_version: VERSION,
        program: ProgramText::of(program),
        dependences,
        live: live.collect(),
        claims: Vec::new(),
    }
}

/// The edge of one dependence from `reader`'s operand to `source`, a statement or an array.
pub fn edge(certificate: &Certificate, reader: &str, operand: usize, source: &str) -> Edge {
    let found = certificate.dependences.iter().position(|d| {
        let name = d.writer.clone().unwrap_or_else(|| {
            let statement = certificate
                .program
                .statements
                .iter()
                .find(|s| s.name == d.reader);
            let read = &statement.unwrap().reads[d.operand];
            let range = read.split("-> ").last().unwrap();
            range.split('[').next().unwrap().to_owned()
        });
        d.reader == reader && d.operand == operand && name == source
    });
    Edge(vec![
        found.unwrap_or_else(|| panic!("no {reader} {operand} {source}")),
    ])
}

pub fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|text| text.to_string()).collect()
}

pub fn claim(model: Model, formula: &str, proof: Proof) -> Claim {
    Claim {
        method: "by hand".into(),
        model,
        formula: formula.into(),
        conditions: Vec::new(),
        proof,
    }
}

pub fn checked(certificate: &Certificate) -> Result<Vec<LowerBound>, Refusal> {
    check(certificate, None)
}

/// `C += A·B`, or from zero.
pub fn matmul(from_zero: bool) -> Program {
    let mut program = ProgramBuilder::new("matmul", &["M", "N", "K"]);
    for (name, extents) in [("A", ["M", "K"]), ("B", ["K", "N"]), ("C", ["M", "N"])] {
        program.array(name, &extents, ElementType::F64, Role::Parameter);
    }
    if from_zero {
        program.statement(Assignment {
            name: "S0",
            iterators: "i, j",
            condition: "0 <= i < M and 0 <= j < N",
            time: "0, i, j",
            write: "C[i, j]",
            reads: &[],
            value: Expression::Integer(0),
        });
    }
    program.statement(Assignment {
        name: "S1",
        iterators: "i, j, k",
        condition: "0 <= i < M and 0 <= j < N and 0 <= k < K",
        time: "1, i, j, k",
        write: "C[i, j]",
        reads: &["C[i, j]", "A[i, k]", "B[k, j]"],
        value: Expression::Read(0) + Expression::Read(1) * Expression::Read(2),
    });
    program.build().unwrap()
}

/// The families A, B and C of the matrix product, the last with or without the first link as a terminal.
pub fn matmul_families(certificate: &Certificate, from_zero: bool) -> Vec<Family> {
    let family = |projection: &[[i64; 3]], input: &str, edge: Edge| Family {
        projection: projection.iter().map(|row| row.to_vec()).collect(),
        weight: "1".into(),
        members: Vec::new(),
        inputs: texts(&[input]),
        edges: vec![edge],
        terminals: Vec::new(),
    };
    let (i, j, k) = ([1, 0, 0], [0, 1, 0], [0, 0, 1]);
    let a = family(
        &[i, k],
        "{ A[i, k] -> [i, k] }",
        edge(certificate, "S1", 1, "A"),
    );
    let b = family(
        &[k, j],
        "{ B[k, j] -> [k, j] }",
        edge(certificate, "S1", 2, "B"),
    );
    let mut c = family(
        &[i, j],
        "{ C[i, j] -> [i, j] }",
        edge(certificate, "S1", 0, "S1"),
    );
    let domain = "0 <= i < M and 0 <= j < N and 0 <= k < K";
    c.members = vec![format!(
        "[M, N, K] -> {{ S1[i, j, k] -> [i, j] : {domain} }}"
    )];
    if from_zero {
        c.inputs = Vec::new();
        c.terminals = vec![format!(
            "[M, N, K] -> {{ S1[i, j, k] : k = 0 and {domain} }}"
        )];
    } else {
        c.edges.push(edge(certificate, "S1", 0, "C"));
    }
    vec![a, b, c]
}

/// The certificate of the classical bound on the matrix product.
pub fn matmul_certificate(from_zero: bool) -> Certificate {
    let program = matmul(from_zero);
    let mut certificate = certificate(&program);
    let domain = "0 <= i < M and 0 <= j < N and 0 <= k < K";
    let group = Group {
        private: Vec::new(),
        targets: vec![format!(
            "[M, N, K] -> {{ S1[i, j, k] -> [i, j, k] : {domain} }}"
        )],
        families: matmul_families(&certificate, from_zero),
        capacity: Capacity::BrascampLieb {
            exponents: texts(&["1/2", "1/2", "1/2"]),
            extents: Vec::new(),
        },
    };
    let proof = Proof::Phases(Phases {
        groups: vec![group],
        lengths: texts(&["2*S"]),
    });
    let formula = "2*M*N*K/sqrt(S) - S";
    let formula = if from_zero {
        format!("{formula} - M*N")
    } else {
        formula.to_owned()
    };
    certificate.claims.push(claim(LOADS, &formula, proof));
    certificate
}

/// The phase argument of the first claim.
pub fn phases(certificate: &mut Certificate) -> &mut Phases {
    match &mut certificate.claims[0].proof {
        Proof::Phases(phases) => phases,
        other => panic!("{other:?}"),
    }
}

/// Demands that a changed certificate is refused for the given reason.
#[track_caller]
pub fn refuses(certificate: &Certificate, cause: Cause, change: impl FnOnce(&mut Certificate)) {
    let mut changed = certificate.clone();
    change(&mut changed);
    assert_ne!(changed, *certificate, "nothing was changed");
    match checked(&changed) {
        Ok(bounds) => panic!("accepted: {}", bounds[0].loads()),
        Err(refusal) => assert_eq!(refusal.cause, cause, "{refusal}"),
    }
}

/// States the formula that follows from the proof of the only claim.
pub fn with_formula(mut certificate: Certificate) -> Result<Certificate, Refusal> {
    let checker = Checker::of(&certificate, None)?;
    let (claim, _) = checker.settle(certificate.claims[0].clone())?;
    certificate.claims[0] = claim;
    Ok(certificate)
}
