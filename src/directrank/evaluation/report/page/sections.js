// The parts of the page that its maker wrote: tables and charts.

function showSections() {
  for (const [number, { title, text, tables, charts }] of report.sections.entries()) {
    byId("sections").append(element("section", { "aria-label": title },
      element("h2", {}, title),
      ...tables.map((table, i) => element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `${title}, table ${i + 1}` }, plainTable(table))),
      text ? element("p", { class: "foot" }, text) : null,
      ...charts.map((chart, i) => element("figure", {}, element("div", { class: "chart", id: `section-${number}-${i}` }), element("figcaption", {}, chart.title))),
    ));
  }
  drawSections();
}

function plainTable({ columns, rows }) {
  const head = columns.map((name, i) => element("th", { scope: "col", class: i ? null : "left" }, name));
  const body = rows.map(([name, ...values]) => element("tr", {}, element("th", { scope: "row", class: "name left" }, name), ...values.map((value) => element("td", {}, value))));
  return element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body));
}

function drawSections() {
  for (const [number, { charts }] of report.sections.entries()) {
    for (const [i, chart] of charts.entries()) {
      const place = `section-${number}-${i}`;
      draw(place, narrowed(chart.spec, byId(place).clientWidth));
    }
  }
}

whenever([], showSections);
