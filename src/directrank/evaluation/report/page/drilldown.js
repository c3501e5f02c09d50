// One query: both rankings side by side.

const AT_FIRST = 10; // documents of each ranking

async function openQuery(query) {
  const dialog = byId("drilldown");
  const listed = listedQueries();
  const place = listed.indexOf(query);
  const go = (to, name, label) => element("button", {
    type: "button", disabled: to < 0 || to >= listed.length || place < 0, "aria-label": label, title: label, "data-go": label,
    onclick: () => openQuery(listed[to]),
  }, name);
  const content = await rankings().catch((error) => ({ error }));
  const pressed = document.activeElement.dataset.go;
  byId("tooltip").hidden = true;
  dialog.replaceChildren(
    element("div", { class: "dialog-head" },
      element("h2", { id: "drilldown-title", tabindex: -1 }, `Query ${report.queries[query]}`, element("small", { dir: "auto" }, report.texts[query])),
      element("div", { class: "buttons" }, go(place - 1, "←", "Previous query"), go(place + 1, "→", "Next query"),
        element("button", { type: "button", onclick: () => dialog.close() }, "Close"))),
    content === null || content.error
      ? element("p", {}, content === null ? "The page has no rankings: the report was made from values alone." : `The rankings cannot be unpacked: ${content.error}`)
      : element("div", { class: "side-by-side" }, side("first", query, content), side("second", query, content),
        element("p", { class: "foot" }, "● is relevant, with its grade. ▲ and ▼: by how many ranks a document stands higher or lower here than in the other ranking.")),
  );
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
  (dialog.querySelector(`[data-go="${pressed}"]:enabled`) ?? byId("drilldown-title")).focus();
}

/** One of the two rankings of a query. */
function side(which, query, content) {
  const ranking = state[which];
  const other = state[which === "first" ? "second" : "first"];
  const { documents, grades, order, ranked } = content.queries[query];
  const elsewhere = new Map(order[other].map((document, rank) => [document, rank]));
  const here = new Set(order[ranking]);
  const missed = descending(documents.map((_, i) => i).filter((i) => grades[i] > 0 && !here.has(i)), (i) => grades[i]);
  const items = order[ranking].map((document, rank) => item(content, documents[document], grades[document], rank, moved(rank, elsewhere.get(document))));
  const rest = items.slice(AT_FIRST);
  for (const each of rest) each.hidden = true;
  const more = element("button", { type: "button", class: "more", onclick: () => {
    for (const each of rest) each.hidden = false;
    rest[0].tabIndex = -1;
    rest[0].focus();
    more.remove();
  } }, `Show the other ${count(rest.length)}`);
  const lacking = missed.map((document) => item(content, documents[document], grades[document], null, ""));
  const hidden = ranked[ranking] - order[ranking].length;
  return element("div", { class: which },
    element("h3", {}, `${report.rankings[ranking]}: ${state.measure} ${digits(valueOf(ranking, query))}`),
    items.length ? element("ol", { class: "ranking" }, ...items) : element("p", { class: "muted" }, "Nothing was ranked for this query."),
    rest.length ? more : null,
    hidden > 0 ? element("p", { class: "foot" }, `${several(hidden, "more document was", "more documents were")} ranked; the page has the first ${count(content.depth)}.`) : null,
    lacking.length ? element("h4", {}, `${several(lacking.length, "relevant document is", "relevant documents are")} ${hidden > 0 ? "further down or " : ""}not in this ranking`) : null,
    lacking.length ? element("ol", { class: "ranking missed" }, ...lacking) : null);
}

/** How a document's rank differs from that in the other ranking. */
function moved(rank, other) {
  if (other === undefined) return "only here";
  return other === rank ? "=" : other > rank ? `▲ ${other - rank}` : `▼ ${rank - other}`;
}

function item(content, document, grade, rank, movement) {
  const [title, text] = content.texts[document] ?? ["", ""];
  const relevance = grade > 0 ? `relevant, grade ${grade}` : "not relevant, or not judged";
  return element("li", { class: grade > 0 ? "relevant" : null },
    element("span", { class: "rank" }, rank === null ? "–" : rank + 1),
    element("span", { class: "grade", role: "img", title: relevance, "aria-label": relevance }, grade > 0 ? `●${grade}` : "·"),
    element("span", { class: "document" }, title ? element("bdi", {}, title) : null, title ? " " : null, element("span", { class: title ? "muted" : null }, content.names[document]), text ? element("span", { class: "text", dir: "auto" }, text) : null),
    element("span", { class: "moved" }, movement));
}

byId("drilldown").addEventListener("keydown", (event) => {
  const label = { ArrowLeft: "Previous query", ArrowRight: "Next query" }[event.key];
  if (!label || event.altKey || event.ctrlKey || event.metaKey) return;
  byId("drilldown").querySelector(`[data-go="${label}"]`).click();
  event.preventDefault();
});
byId("drilldown").addEventListener("click", (event) => { if (event.target === byId("drilldown")) byId("drilldown").close(); });
