"""Show that the tests of a task can be trusted: run them on what must fail and on what must pass."""

from firstprinciples.grading.check import grade_each
from firstprinciples.grading.mistakes import mistakes, sentence, variants
from firstprinciples.grading.run import run_each
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
    right = variants(name)
    stubbed, referred, *others = run_each(name, [namespace[own], reference(name), *right.values()])
    problems = [f"the stub passes {o.test}" for o in stubbed if o.passed]
    problems += [f"the reference fails {o.test}: {o.problem}" for o in referred if not o.passed]
    if len(right) < 3:
        problems.append(f"only {len(right)} correct variants; 3 are needed")
    for key, outcomes in zip(right, others, strict=True):
        problems += [f"the correct variant {key} fails {o.test}: {o.problem}" for o in outcomes if not o.passed]
    wrong, named = mistakes(name), 0
    for (key, function), report in zip(wrong.items(), grade_each(name, list(wrong.values())), strict=True):
        if report.points == report.possible:
            problems.append(f"the mistake {key} loses no point")
        elif report.mistake != key:
            said = " | ".join(report.lines[2:5])
            problems.append(f"the mistake {key} is not named (said: {report.mistake}): {said}")
        elif sentence(function) not in " ".join(report.lines) or len(report.lines) > 8:
            problems.append(f"the mistake {key} does not print its sentence in eight lines")
        else:
            named += 1
    return {"tests": len(stubbed), "variants": len(right), "mistakes": len(wrong), "named": named,
            "problems": problems}
