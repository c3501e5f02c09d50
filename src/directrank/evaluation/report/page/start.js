// Choices, titles, and the first showing of everything.

function fillSelect(id, names, part, values = names) {
  const select = byId(id);
  select.replaceChildren(...names.map((name, i) => element("option", { value: i }, name)));
  select.addEventListener("change", () => choose({ [part]: values[Number(select.value)] }));
  whenever([part], () => { select.value = values.indexOf(state[part]); });
}

function showTitles() {
  const [first, second] = [report.rankings[state.first], report.rankings[state.second]];
  byId("distribution-title").textContent = `${state.measure} over the queries`;
  byId("pair-title").textContent = `${first} against ${second}, by ${state.measure}`;
  const tally = winsTiesLosses(state.first, state.second);
  const means = report.means[state.measure];
  const found = comparison(state.first, state.second);
  const difference = means[state.first].mean - means[state.second].mean;
  const untested = state.first === state.second ? "They are the same ranking." : "The two were not tested against each other.";
  const tested = found === null ? untested : `p = ${pValue(found.p)}, corrected ${pValue(found.corrected)}.`;
  byId("pair-summary").textContent = `${first} wins ${several(tally[0], "query", "queries")}, ties ${count(tally[1])} and loses ${count(tally[2])}; mean difference ${signed(difference)}. ${tested}`;
}

function showAbout() {
  const { sentences, made, command } = report.about;
  byId("about").append(
    element("p", {}, sentences.join(" ")),
    element("p", {}, made),
    ...(command ? [element("p", {}, "To make this page again:"), element("pre", {}, element("code", {}, command))] : []),
  );
  byId("curves").hidden = !report.curves;
}

function showSubtitle() {
  const baseline = report.baseline === null ? "" : ` · baseline ${report.rankings[report.baseline]}`;
  byId("subtitle").textContent = `${several(report.rankings.length, "ranking", "rankings")} · ${several(report.queries.length, "query", "queries")} · ${report.measures.join(", ")}${baseline}`;
}

const places = report.rankings.map((_, ranking) => ranking);
Object.assign(state, startingPair());
fillSelect("measure", report.measures, "measure");
fillSelect("first", report.rankings, "first", places);
fillSelect("second", report.rankings, "second", places);
byId("swap").addEventListener("click", () => choose({ first: state.second, second: state.first }));
byId("choices").addEventListener("submit", (event) => event.preventDefault());
whenever(["measure", "first", "second"], showTitles);
whenever([], showAbout);
whenever([], showSubtitle);
byId("main").hidden = false;
showAll();
