// What is shown: the report, the chosen measure and the two chosen rankings.

const report = JSON.parse(byId("content").textContent);
const LISTED = 20; // queries, at first
const state = { measure: report.measure, first: 0, second: 0, order: "changed", search: "", listed: LISTED };
const listeners = [];

/** Call this when everything is shown, and whenever one of the named parts of the state changes. */
function whenever(parts, show) {
  listeners.push([parts, show]);
}

function choose(changes) {
  const changed = Object.keys(changes).filter((part) => state[part] !== changes[part]);
  Object.assign(state, changes);
  for (const [parts, show] of listeners) if (parts.some((part) => changed.includes(part))) show();
}

function showAll() {
  for (const [, show] of listeners) show();
}

const numbers = report.queries.map((_, query) => query);
const valueOf = (ranking, query, measure = state.measure) => report.values[measure][ranking][query];
const differenceOf = (query) => valueOf(state.first, query) - valueOf(state.second, query);
const EQUAL = 5e-6; // values are written to five digits

/** The test of one ranking against another by the chosen measure, or null where the two were not compared. */
function comparison(first, second) {
  for (const [one, other, found] of report.compared[state.measure]) {
    if (one === first && other === second) return found;
    if (one === second && other === first) {
      return { ...found, difference: -found.difference, effect: found.effect === null ? null : -found.effect, tally: [...found.tally].reverse() };
    }
  }
  return null;
}

/** As compared, or counted where the two were not. */
function winsTiesLosses(first, second) {
  const found = comparison(first, second);
  if (found !== null) return found.tally;
  const tally = [0, 0, 0];
  for (const query of numbers) {
    const difference = valueOf(first, query) - valueOf(second, query);
    tally[difference > EQUAL ? 0 : difference < -EQUAL ? 2 : 1] += 1;
  }
  return tally;
}

/** The two to begin with: the best ranking and the baseline, or the best two. */
function startingPair() {
  const means = report.means[state.measure];
  const byMean = descending(means.map((_, ranking) => ranking), (ranking) => means[ranking].mean);
  const second = report.baseline ?? byMean[1];
  return { first: byMean.find((ranking) => ranking !== second), second };
}

/** The rankings, unpacked when they are first asked for; null if the page has none. */
let unpacking;
function rankings() {
  unpacking ??= unpack(byId("packed").textContent.trim());
  return unpacking;
}

async function unpack(packed) {
  if (!packed) return null;
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}
