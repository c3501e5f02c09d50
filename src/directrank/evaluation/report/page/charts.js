// Charts: specifications from the report, rows and names from what is chosen.

const dark = matchMedia("(prefers-color-scheme: dark)");
const ERRORS = 1; // the level of what Vega logs: not that a box plot has no outliers
const views = {};
const drawing = {}; // the last draw that each place was asked for

/** The same specification with the chosen names where it has room for them. */
function filled(spec) {
  const names = { "{measure}": state.measure, "{first}": report.rankings[state.first], "{second}": report.rankings[state.second] };
  const fill = (part) => {
    if (typeof part === "string") return part.replace(/\{(measure|first|second)\}/g, (found) => names[found]);
    if (Array.isArray(part)) return part.map(fill);
    if (part && typeof part === "object") return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, fill(value)]));
    return part;
  };
  return fill(spec);
}

function colours() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const text = { labelColor: colour("--ink"), titleColor: colour("--ink") };
  return {
    background: "transparent",
    view: { stroke: null },
    axis: { ...text, gridColor: colour("--line"), domainColor: colour("--line"), tickColor: colour("--line") },
    legend: text,
    header: text,
    title: { color: colour("--ink") },
  };
}

function showTooltip(handler, event, item, value) {
  const tooltip = byId("tooltip");
  tooltip.hidden = !value;
  if (!value) return;
  const pairs = typeof value === "object" ? Object.entries(value) : [["", value]];
  const lines = pairs.filter(([, shown]) => shown !== "" && shown !== null && shown !== "undefined");
  tooltip.replaceChildren(...lines.map(([name, shown]) => element("div", {}, element("span", { class: "muted" }, name), element("span", {}, shown))));
  const box = tooltip.getBoundingClientRect();
  const left = Math.min(event.clientX + 14, innerWidth - box.width - 8);
  const below = event.clientY + 14;
  tooltip.style.left = `${Math.max(left, 8)}px`;
  tooltip.style.top = `${below + box.height > innerHeight - 8 ? event.clientY - box.height - 10 : below}px`;
}

/** Draw a chart into the element of that name: one at a time, and none that another choice has overtaken. */
function draw(place, spec, rows = spec.data?.values, signals = {}) {
  const drawn = specified(spec, rows, signals);
  const turn = Promise.resolve(drawing[place]).catch(() => {}).then(() => drawing[place] === turn ? embed(place, drawn) : undefined);
  drawing[place] = turn;
}

/** A specification with its rows (but where its layers have rows of their own), its size, its colours and its parameters. */
function specified(spec, rows, signals) {
  const drawn = rows ? { ...spec, data: { values: rows } } : { ...spec };
  if (drawn.width === "container") drawn.autosize = { type: "fit-x", contains: "padding" };
  // A height by steps is what Vega-Lite cannot fit.
  if (drawn.height?.step) drawn.height = drawn.height.step * new Set(rows.map((row) => row.ranking ?? row.feature)).size;
  drawn.config = { ...spec.config };
  for (const [name, value] of Object.entries(colours())) {
    drawn.config[name] = typeof value === "object" ? { ...drawn.config[name], ...value } : value;
  }
  if (drawn.params) {
    drawn.params = drawn.params.map((param) => param.name in signals ? { ...param, value: signals[param.name] } : param);
  }
  return drawn;
}

async function embed(place, drawn) {
  views[place]?.finalize();
  const { view } = await vegaEmbed(byId(place), drawn, {
    ast: true, actions: false, renderer: "svg", defaultStyle: false, tooltip: showTooltip, mode: "vega-lite", logLevel: ERRORS,
  });
  views[place] = view;
  view.addEventListener("click", (event, item) => {
    const query = item?.datum?.number;
    if (query !== undefined) openQuery(query);
  });
}

const pairRow = (query, position) => ({
  number: query, query: report.queries[query], text: report.texts[query], position,
  difference: differenceOf(query), first: valueOf(state.first, query), second: valueOf(state.second, query),
});

/** The rankings, best first. */
const byMean = () => descending(report.rankings.map((_, ranking) => ranking), (ranking) => report.means[state.measure][ranking].mean);

const drawMeans = () => draw("means", filled(report.specs.means), byMean().map((ranking) => {
  const { mean, low, high } = report.means[state.measure][ranking];
  return { ranking: report.rankings[ranking], mean, low, high };
}));

function drawDistribution() {
  const rankings = byMean();
  const rows = rankings.flatMap((ranking) => report.values[state.measure][ranking].map((value) => ({ ranking: report.rankings[ranking], value })));
  draw("distribution", filled(report.specs.distribution), rows, { rankings: rankings.map((ranking) => report.rankings[ranking]) });
}

function drawDifferences() {
  cursor.queries = descending(numbers, differenceOf);
  cursor.position = -1;
  byId("cursor-text").textContent = "";
  draw("differences", filled(report.specs.differences), cursor.queries.map(pairRow));
}

const drawScatter = () => draw("scatter", filled(report.specs.scatter), numbers.map((query) => pairRow(query, query)));

function drawCurves() {
  if (!report.curves) return;
  const chosen = { first: report.rankings[state.first], second: report.rankings[state.second] };
  for (const [name, rows] of Object.entries(report.curves)) draw(name, report.specs[name], rows, chosen);
}

// The bar that the keyboard is at.
const cursor = { queries: [], position: -1 };

function moveCursor(to) {
  cursor.position = Math.max(0, Math.min(cursor.queries.length - 1, to));
  views.differences?.signal("cursor", cursor.position).run();
  const query = cursor.queries[cursor.position];
  const [first, second] = [state.first, state.second].map((ranking) => `${report.rankings[ranking]} ${digits(valueOf(ranking, query))}`);
  byId("cursor-text").textContent = `Query ${report.queries[query]}: ${signed(differenceOf(query))} (${first}, ${second}). Enter opens it.`;
}

byId("differences").addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowUp: -1, ArrowDown: 1, PageDown: 20, PageUp: -20 };
  if (event.key in steps) moveCursor(cursor.position < 0 ? 0 : cursor.position + steps[event.key]);
  else if (event.key === "Home") moveCursor(0);
  else if (event.key === "End") moveCursor(cursor.queries.length - 1);
  else if (event.key === "Enter" && cursor.position >= 0) openQuery(cursor.queries[cursor.position]);
  else return;
  event.preventDefault();
});

whenever(["measure"], drawMeans);
whenever(["measure"], drawDistribution);
whenever(["measure", "first", "second"], drawDifferences);
whenever(["measure", "first", "second"], drawScatter);
whenever(["first", "second"], drawCurves);
dark.addEventListener("change", () => { drawMeans(); drawDistribution(); drawDifferences(); drawScatter(); drawCurves(); drawModels(); drawSections(); });
