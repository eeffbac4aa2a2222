"""Show that the tests of a task can be trusted: run them on what must fail and on what must pass."""

from firstprinciples.grading.check import grade_task
from firstprinciples.grading.mistakes import mistakes, sentence, variants
from firstprinciples.grading.run import run
from firstprinciples.grading.tasks import stub
from firstprinciples.swap import reference


def prove_task(name: str) -> dict:
    """Show that a task's tests can be trusted, and return what was found.

    The stub fails every test, the reference passes, at least three right variants pass, and each known mistake loses a
    point and is named. Returns {"tests", "variants", "mistakes", "named", "problems": sentences, none if all is well}.
    """
    namespace = {}
    exec(compile("import math\n" + stub(name), f"<stub of {name}>", "exec"), namespace)
    own = name.partition(".")[2]
    problems = []
    stubbed = run(name, namespace[own])
    problems += [f"the stub passes {o.test}" for o in stubbed if o.passed]
    problems += [f"the reference fails {o.test}: {o.problem}" for o in run(name, reference(name)) if not o.passed]
    if len(variants(name)) < 3:
        problems.append(f"only {len(variants(name))} correct variants; 3 are needed")
    for key, function in variants(name).items():
        failed = [outcome for outcome in run(name, function) if not outcome.passed]
        problems += [f"the correct variant {key} fails {o.test}: {o.problem}" for o in failed]
    named = 0
    for key, function in mistakes(name).items():
        report = grade_task(name, function)
        if report.points == report.possible:
            problems.append(f"the mistake {key} loses no point")
        elif report.mistake != key:
            said = " | ".join(report.lines[2:5])
            problems.append(f"the mistake {key} is not named (said: {report.mistake}): {said}")
        elif sentence(function) not in " ".join(report.lines) or len(report.lines) > 8:
            problems.append(f"the mistake {key} does not print its sentence in eight lines")
        else:
            named += 1
    return {"tests": len(stubbed), "variants": len(variants(name)), "mistakes": len(mistakes(name)), "named": named,
            "problems": problems}
