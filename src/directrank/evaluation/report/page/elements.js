"use strict";
// Making elements: text is always text, never markup.

const byId = (id) => document.getElementById(id);

/** An element with properties and children; strings become text. */
function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "class") made.className = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined).map((child) => child instanceof Node ? child : String(child)));
  return made;
}

const digits = (value, places = 4) => value.toFixed(places).replace(/^-(0\.0*)$/, "$1");
const signed = (value, places = 4) => (value > 0 ? "+" : "") + digits(value, places).replace("-", "−");
const count = (value) => value.toLocaleString("en");
const several = (value, one, many) => `${count(value)} ${value === 1 ? one : many}`;
const pValue = (p) => p >= 0.001 ? p.toFixed(3) : p > 0 ? p.toExponential(0) : "0";

/** The entries of a list in descending order of a number; equal ones as they stood. */
const descending = (list, key) => [...list].sort((a, b) => key(b) - key(a));
