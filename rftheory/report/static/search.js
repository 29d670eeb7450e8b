// Search over the names and texts of the site. The entries lie in entries.js, so that it works from the file system.
"use strict";
(function () {
  function words(text) { return text.toLowerCase().split(/\s+/).filter(Boolean); }
  function score(entry, asked) {
    var name = entry[1].toLowerCase(), body = name + " " + entry[3].toLowerCase(), total = 0;
    for (var i = 0; i < asked.length; i++) {
      var at = body.indexOf(asked[i]);
      if (at < 0) { return 0; }
      total += name === asked[i] ? 50 : name.indexOf(asked[i]) === 0 ? 20 : at < name.length ? 10 : 1;
    }
    return total + 1 / (1 + name.length);
  }
  window.rftSearch = function (text) {
    var asked = words(text);
    if (!asked.length) { return []; }
    return window.RFT_ENTRIES.map(function (entry) { return [score(entry, asked), entry]; })
      .filter(function (pair) { return pair[0] > 0; })
      .sort(function (a, b) { return b[0] - a[0]; })
      .slice(0, 100).map(function (pair) { return pair[1]; });
  };
  function show(box, list, count) {
    var found = window.rftSearch(box.value);
    list.textContent = "";
    found.forEach(function (entry) {
      var item = document.createElement("li"), link = document.createElement("a"), said = document.createElement("div");
      link.href = entry[2]; link.textContent = entry[1]; link.className = "id";
      said.className = "soft"; said.textContent = entry[0] + ": " + entry[3].slice(0, 200);
      item.appendChild(link); item.appendChild(said); list.appendChild(item);
    });
    count.textContent = box.value.trim() ? found.length + (found.length === 100 ? " or more" : "") + " found" : "";
  }
  document.addEventListener("DOMContentLoaded", function () {
    var list = document.getElementById("found"), box = document.getElementById("words");
    if (!list || !box) { return; }
    var count = document.getElementById("count"), given = new URLSearchParams(location.search).get("q");
    if (given) { box.value = given; }
    box.addEventListener("input", function () { show(box, list, count); });
    show(box, list, count);
  });
})();
