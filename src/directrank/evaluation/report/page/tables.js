// The table of means, and that of the chosen measure.

/** A heading that sorts its table; the table's rows carry the value of each column as `sortable`. */
function sortableHeading(table, column, name, options = {}) {
  const heading = element("th", { scope: "col", class: options.class, "aria-sort": "none" });
  heading.append(element("button", { type: "button", onclick: () => {
    const descends = heading.getAttribute("aria-sort") === "descending" || (options.textual && heading.getAttribute("aria-sort") === "none");
    for (const other of table.querySelectorAll("th[aria-sort]")) other.setAttribute("aria-sort", "none");
    heading.setAttribute("aria-sort", descends ? "ascending" : "descending");
    sortRows(table, column, descends ? 1 : -1);
  } }, name));
  return heading;
}

/** Rows without a value come last, either way. */
function sortRows(table, column, direction) {
  const body = table.tBodies[0];
  const compare = (a, b) => {
    const [x, y] = [a.sortable[column], b.sortable[column]];
    if (x === null || y === null) return (x === null) - (y === null);
    return direction * (typeof x === "string" ? x.localeCompare(y, "en", { numeric: true }) : x - y);
  };
  body.append(...[...body.rows].sort(compare));
}

/** A row; every cell is [what it shows, what it is sorted by, its class]. */
function sortableRow(ranking, cells) {
  const row = element("tr", { class: ranking === report.baseline ? "baseline" : null });
  row.append(
    element("td", { class: "left" }, report.letters[ranking]),
    element("th", { scope: "row", class: "name left" }, report.rankings[ranking]),
    ...cells.map(([shown, , className]) => element("td", { class: className }, ...[shown].flat())),
  );
  row.sortable = [ranking, report.rankings[ranking], ...cells.map(([, value]) => value)];
  return row;
}

/** Fill a table, and sort it as it was; a narrow screen shows a block for each row, with labels in place of the headings. */
function fillTable(id, names, rows) {
  const table = byId(id);
  const sorted = [...table.querySelectorAll("th[aria-sort]")].map((heading) => heading.getAttribute("aria-sort"));
  const heads = names.map((name, i) => sortableHeading(table, i + 2, name));
  table.replaceChildren(
    element("thead", {}, element("tr", {}, sortableHeading(table, 0, "#", { class: "left", textual: true }), sortableHeading(table, 1, "ranking", { class: "left", textual: true }), ...heads)),
    element("tbody", {}, ...rows),
  );
  for (const row of rows) names.forEach((name, i) => { row.cells[i + 2].dataset.label = name; }); // for narrow screens
  const column = sorted.findIndex((direction) => direction !== "none");
  if (column < 0) return;
  table.querySelectorAll("th[aria-sort]")[column].setAttribute("aria-sort", sorted[column]);
  sortRows(table, column, sorted[column] === "ascending" ? 1 : -1);
}

const interval = (text) => element("span", { class: "interval" }, text);

function meanCell(measure, ranking, withMarks = true) {
  const { mean, low, high, best, marks } = report.means[measure][ranking];
  const raised = withMarks && marks ? [element("sup", {}, marks)] : [];
  return [[digits(mean), ...raised, interval(`${digits(low)}–${digits(high)}`)], mean, best ? "best" : null];
}

function showHeadline() {
  const rows = report.rankings.map((_, ranking) => sortableRow(ranking, report.measures.map((measure) => meanCell(measure, ranking))));
  fillTable("headline", report.measures, rows);
  byId("legend").textContent = `${report.about.sentences.join(" ")} Bold: the highest mean.`;
}

function showDetail() {
  const names = ["mean", "difference", "wins / ties / losses", "effect size", "p", "corrected p"];
  byId("detail-title").textContent = `By ${state.measure}` + (report.baseline === null ? "" : `, against ${report.rankings[report.baseline]}`);
  byId("detail").parentElement.hidden = report.baseline === null;
  if (report.baseline !== null) fillTable("detail", names, report.rankings.map((_, ranking) => sortableRow(ranking, detailCells(ranking))));
}

function detailCells(ranking) {
  const own = meanCell(state.measure, ranking, false);
  const found = ranking === report.baseline ? null : comparison(ranking, report.baseline);
  if (found === null) return [own, ...Array.from({ length: 5 }, () => ["", null])];
  const infinite = found.difference < 0 ? -Infinity : Infinity; // which JSON does not have
  const [low, high] = report.means[state.measure][ranking].difference;
  return [
    own,
    [[signed(found.difference), interval(`${signed(low)} to ${signed(high)}`)], found.difference],
    [found.tally.map(count).join(" / "), found.tally[0] - found.tally[2], "nowrap"],
    [found.effect === null ? (infinite > 0 ? "+∞" : "−∞") : signed(found.effect, 2), found.effect ?? infinite],
    [pValue(found.p), found.p],
    [pValue(found.corrected), found.corrected, found.corrected < report.alpha ? "significant" : null],
  ];
}

whenever([], showHeadline);
whenever(["measure"], showDetail);
