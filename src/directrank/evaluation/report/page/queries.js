// The list of queries: searched, sorted, opened.

const difficulty = (query) => report.rankings.reduce((sum, _, ranking) => sum + valueOf(ranking, query), 0);

const ORDERS = {
  changed: (query) => Math.abs(differenceOf(query)),
  gains: differenceOf,
  losses: (query) => -differenceOf(query),
  hardest: (query) => -difficulty(query),
  given: (query) => -query,
};

/** The queries that are searched for, in the chosen order. */
function listedQueries() {
  const words = state.search.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (query) => {
    const text = `${report.queries[query]} ${report.texts[query]}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return descending(numbers.filter(matches), ORDERS[state.order]);
}

function showQueries() {
  const listed = listedQueries();
  const names = ["query", report.rankings[state.first], report.rankings[state.second], "difference"];
  const heads = names.map((name, i) => element("th", { scope: "col", class: i === 0 ? "left" : null }, name));
  const rows = listed.slice(0, state.listed).map((query) => element("tr", {},
    element("th", { scope: "row", class: "left name" },
      element("button", { type: "button", onclick: () => openQuery(query) }, report.queries[query]),
      report.texts[query] ? element("span", { class: "text", dir: "auto" }, report.texts[query]) : null),
    element("td", {}, digits(valueOf(state.first, query))),
    element("td", {}, digits(valueOf(state.second, query))),
    element("td", {}, signed(differenceOf(query))),
  ));
  byId("query-table").replaceChildren(element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows));
  byId("found").textContent = `${count(listed.length)} of ${count(numbers.length)} queries, by ${state.measure}`;
  byId("more").hidden = listed.length <= state.listed;
}

byId("search").addEventListener("input", (event) => choose({ search: event.target.value, listed: LISTED }));
byId("order").addEventListener("change", (event) => choose({ order: event.target.value, listed: LISTED }));
byId("more").addEventListener("click", () => choose({ listed: state.listed + 200 }));
byId("query-choices").addEventListener("submit", (event) => event.preventDefault());
whenever(["measure", "first", "second", "order", "search", "listed"], showQueries);
