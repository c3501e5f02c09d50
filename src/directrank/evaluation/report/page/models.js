// What was learned: training, weights, and where each model comes from.

function showModels() {
  byId("models").hidden = report.models.length === 0;
  for (const [number, model] of report.models.entries()) {
    const facts = model.facts.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]);
    byId("models").append(
      element("h3", {}, model.name),
      element("dl", { class: "facts" }, ...facts),
      ...model.charts.map((chart, i) => element("figure", {}, element("div", { class: "chart", id: `model-${number}-${i}` }), element("figcaption", {}, chart.title))),
    );
  }
  drawModels();
}

function drawModels() {
  for (const [number, model] of report.models.entries()) {
    for (const [i, chart] of model.charts.entries()) {
      const place = `model-${number}-${i}`;
      draw(place, narrowed(chart.spec, byId(place).clientWidth));
    }
  }
}

/** Charts of several panels do not fit themselves to their container. */
function narrowed(spec, width) {
  const [axis, panel] = [80, 230];
  if (spec.vconcat) return { ...spec, vconcat: spec.vconcat.map((each) => ({ ...each, width: Math.min(each.width, width - axis) })) };
  if (spec.facet) return { ...spec, columns: Math.max(1, Math.min(spec.columns, Math.floor((width - axis) / panel))) };
  return spec;
}

whenever([], showModels);
