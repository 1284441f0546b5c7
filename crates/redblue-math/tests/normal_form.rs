//! Normal form, text and LaTeX: what is written must be what is expected, and must read back as itself.

#![allow(clippy::unwrap_used)]

use redblue_math::Expr;

fn check(input: &str, expected: &str) {
    let expr: Expr = input
        .parse()
        .unwrap_or_else(|error| panic!("{input}: {error}"));
    assert_eq!(expr.to_string(), expected, "from {input}");
    assert_eq!(
        expected.parse::<Expr>().unwrap(),
        expr,
        "{expected} does not read back"
    );
}

#[test]
fn polynomials() {
    for (input, expected) in [
        ("0", "0"),
        ("1 + 2*3 - 4/8", "13/2"),
        ("N*(N - 1)/2", "N^2/2 - N/2"),
        ("(a + b)*(a - b)", "a^2 - b^2"),
        ("(a + b)^3 - a^3 - b^3", "3*a^2*b + 3*a*b^2"),
        ("-(-N)", "N"),
        ("--N", "N"),
        ("-N^2", "-N^2"),
        ("2^3^2", "512"),
        ("6*N/4", "3*N/2"),
        ("N_1*x2 + _z", "N_1*x2 + _z"),
        ("S + N - S", "N"),
        ("S + N", "N + S"),
        (
            "NI*NJ - S + 2*NI*NJ*NK/sqrt(S)",
            "2*NI*NJ*NK/sqrt(S) + NI*NJ - S",
        ),
    ] {
        check(input, expected);
    }
}

#[test]
fn radicals_and_quotients() {
    for (input, expected) in [
        ("sqrt(8)", "2*sqrt(2)"),
        ("2/sqrt(2)", "sqrt(2)"),
        ("sqrt(2)*sqrt(3)", "sqrt(6)"),
        ("sqrt(6) - sqrt(2)*sqrt(3)", "0"),
        ("sqrt(3/4)", "sqrt(3)/2"),
        ("1/sqrt(3)", "1/sqrt(3)"),
        ("12^(1/3)", "2^(2/3)*3^(1/3)"),
        ("sqrt(N^2*S)", "N*sqrt(S)"),
        ("S^(3/2)/S", "sqrt(S)"),
        ("(N/sqrt(S))^2", "N^2/S"),
        ("N^3/(3*sqrt(2)*sqrt(S))", "N^3/(3*sqrt(2*S))"),
        (
            "9*3^(1/3)*N^3*T/(16*S^(1/3))",
            "9*3^(1/3)*N^3*T/(16*S^(1/3))",
        ),
        ("sqrt(4*a + 8*b)", "2*sqrt(a + 2*b)"),
        ("1/(sqrt(2)*a + 2*b)", "1/(sqrt(2)*(sqrt(2)*b + a))"),
        ("sqrt(a + b)*sqrt(a + b)", "a + b"),
        ("sqrt(a + b)/(a + b)", "1/sqrt(a + b)"),
        ("(a^2 + 2*a*b + b^2)/(a + b)", "a + b"),
        ("(a^2 - b^2)/(a - b)", "a + b"),
        ("1/(M - N) + 1/(N - M)", "0"),
        ("M^2*N^2/(8*(S + M))", "M^2*N^2/(8*(M + S))"),
        (
            "2*A*B*C/(sqrt(S + 1) - 1) + B*C",
            "2*A*B*C/(sqrt(S + 1) - 1) + B*C",
        ),
        ("1/(1/(a + b))", "a + b"),
        ("x/x", "1"),
        ("1/(a + b)^2", "1/(a + b)^2"),
        ("(M - M/(M + 1))^(1/3)", "M^(2/3)/(M + 1)^(1/3)"),
        (
            "x/((a + b)*2)/(c + d)/(e + f)^3",
            "x/(2*(a + b))/(c + d)/(e + f)^3",
        ),
        (
            "sqrt(a + b)*sqrt(c + d)*sqrt(2*N)",
            "sqrt(2*N*(a + b))*sqrt(c + d)",
        ),
        ("(M - N)^(-1/3)*(M - N)^(-2/3)", "1/(M - N)"),
        ("(N - M)^(-1/3)*(N - M)^(-2/3)", "-1/(M - N)"),
        ("1/(N*S + S*M)", "1/(S*(M + N))"),
        ("0^0", "1"),
    ] {
        check(input, expected);
    }
}

#[test]
fn extrema() {
    for (input, expected) in [
        ("min(3, 5)", "3"),
        ("max(sqrt(2), 3/2)", "3/2"),
        ("min(x, x + 1)", "x"),
        ("max(x, x + y, 2)", "max(2, x + y)"),
        ("min(x, min(y, z))", "min(x, y, z)"),
        ("min(y, x, y)", "min(x, y)"),
        ("min(2*x, 2*y)", "2*min(x, y)"),
        ("min(N*x, N*y)", "N*min(x, y)"),
        ("min(x + z, y + z)", "z + min(x, y)"),
        ("min(-x, -y)", "-max(x, y)"),
        ("min(z - max(x, y), w)", "min(w, z - x, z - y)"),
        ("max(V/(8*S), N)", "max(N, V/(8*S))"),
        ("max(N*M, S)^2", "max(M*N, S)^2"),
        ("max(0, N - M)", "max(0, N - M)"),
        ("max(0, N - M) + min(0, M - N)", "0"),
        ("min(N - M, 0)", "-max(0, M - N)"),
        ("sqrt(min(N, M))", "sqrt(min(M, N))"),
    ] {
        check(input, expected);
    }
}

#[test]
fn floors_and_logarithms() {
    for (input, expected) in [
        ("floor(7/2)", "3"),
        ("ceil(sqrt(10))", "4"),
        ("floor(N + 1/2)", "N"),
        ("floor(n/4 + 1)", "floor(n/4) + 1"),
        ("floor((n + 3)/4)", "ceil(n/4)"),
        ("1 + floor((n - 1)/4)", "ceil(n/4)"),
        ("ceil(n/4) + floor(-n/4)", "0"),
        ("floor((n + 1)/4)", "floor((n + 1)/4)"),
        ("floor((n - m)/4)", "floor((n - m)/4)"),
        ("ceil(n/2)", "n - floor(n/2)"),
        ("floor(7*n/2)", "3*n + floor(n/2)"),
        ("floor(n/4 + 1/3)", "floor((n + 1)/4)"),
        ("floor(sqrt(S) + 1)", "floor(sqrt(S)) + 1"),
        ("-floor(-sqrt(S))", "ceil(sqrt(S))"),
        ("floor(floor(n/2))", "floor(n/2)"),
        ("floor(n/2)^2", "floor(n/2)^2"),
        ("log2(8)", "3"),
        ("log2(1/2)", "-1"),
        ("log2(8*N*sqrt(S))", "log2(N) + log2(S)/2 + 3"),
        ("log2(2*a + 2*b)", "log2(a + b) + 1"),
        ("log2(6) - log2(3)", "1"),
    ] {
        check(input, expected);
    }
}

#[test]
fn a_root_keeps_signs_that_are_not_known() {
    for (input, expected) in [
        ("sqrt(log2(N)^2)", "sqrt(log2(N)^2)"),
        ("sqrt(-log2(N)*M)", "sqrt(M*(-log2(N)))"),
        ("sqrt(log2(N)*log2(M))", "sqrt(log2(M)*log2(N))"),
        ("sqrt(log2(N)^3)", "log2(N)^(3/2)"),
        ("sqrt(log2(N))*sqrt(2*M)", "sqrt(2*M*log2(N))"),
        ("sqrt(log2(N))*sqrt(log2(M))", "sqrt(log2(M))*sqrt(log2(N))"),
        ("sqrt(log2(N))*sqrt(M + 1)", "sqrt(M + 1)*sqrt(log2(N))"),
        (
            "1/(N - M)^(1/2)/(M*sqrt(N - M) + 1)",
            "1/sqrt(N - M)/(M*sqrt(N - M) + 1)",
        ),
        ("1/sqrt(log2(N)^2)^2", "1/log2(N)^2"),
        ("1/sqrt(-log2(N)*M)^2", "-1/(M*log2(N))"),
        ("sqrt(max(N - M, 0)^2)", "max(0, N - M)"),
        ("sqrt(N - M)^2", "N - M"),
    ] {
        check(input, expected);
    }
}

#[test]
fn latex() {
    for (input, expected) in [
        (
            "2*NI*NJ*NK/sqrt(S) - S + NI*NJ",
            r"\frac{2 \, \mathit{NI} \, \mathit{NJ} \, \mathit{NK}}{\sqrt{S}} + \mathit{NI} \, \mathit{NJ} - S",
        ),
        ("N*(N-1)/2", r"\frac{N^{2}}{2} - \frac{N}{2}"),
        ("M^2/(8*(S + M))", r"\frac{M^{2}}{8 \, \left(M + S\right)}"),
        ("1/(a + b)", r"\frac{1}{a + b}"),
        (
            "max(N, floor((M + 1)/4))",
            r"\max\left(N, \left\lfloor \frac{M + 1}{4} \right\rfloor\right)",
        ),
        (
            "sqrt(a + b) + log2(n_0)",
            r"\sqrt{a + b} + \log_2\left(\mathit{n\_0}\right)",
        ),
        ("9*3^(1/3)*_*n/16", r"\frac{9 \cdot 3^{1/3} \, \_ \, n}{16}"),
        ("0", "0"),
    ] {
        assert_eq!(input.parse::<Expr>().unwrap().latex(), expected);
    }
}

#[test]
fn errors_carry_an_offset() {
    for (input, expected) in [
        ("", "the formula ends too early at offset 0"),
        ("1 +", "the formula ends too early at offset 3"),
        ("(1", "expected `)` at offset 2"),
        ("1 2", "unexpected `2` at offset 2"),
        ("é", "unexpected `é` at offset 0"),
        ("N^M", "the exponent is not a rational number at offset 1"),
        ("1/(N - N)", "division by zero at offset 2"),
        ("sqrt(-2)", "root of a negative quantity at offset 0"),
        (
            "log2(0)",
            "logarithm of a quantity that is not positive at offset 0",
        ),
        ("sqrt(1, 2)", "`sqrt` takes one argument at offset 0"),
        (
            "(a + b)^100000",
            "the result is too large to write out at offset 7",
        ),
        (
            "2^(10^30)",
            "the result is too large to write out at offset 1",
        ),
        ("min()", "unexpected `)` at offset 4"),
    ] {
        assert_eq!(
            input.parse::<Expr>().unwrap_err().to_string(),
            expected,
            "{input}"
        );
    }
    let deep = "(".repeat(100_000);
    assert!(
        deep.parse::<Expr>()
            .unwrap_err()
            .to_string()
            .starts_with("the formula is nested too deeply")
    );
}

#[test]
fn equality_beyond_the_normal_form() {
    for (left, right) in [
        ("x/(x + 1)", "1 - 1/(x + 1)"),
        ("1/(x + 1) - 1/(x + 2)", "1/((x + 1)*(x + 2))"),
        ("(a + b)^(3/2)", "(a + b)*sqrt(a + b)"),
        ("1/sqrt(S + 1)", "sqrt(S + 1)/(S + 1)"),
    ] {
        let (left, right): (Expr, Expr) = (left.parse().unwrap(), right.parse().unwrap());
        assert!(left.equivalent(&right), "{left} = {right}");
        assert!(!left.equivalent(&(right + Expr::one())));
    }
}
