extension PageScript {
  /// What happens first; and the page's check of itself, when its address ends in `#selftest`.
  static let start = #"""
    const drawLegend = () => {
      const seen = new Set(runs.flatMap((run) => run.states.map((span) => run.texts[span[1]])));
      for (const name of stateNames.filter((name) => seen.has(name)))
        byId("legend").append(make("span", name, { style: "--mark: var(--" + name + ")" }));
      byId("legend").append(make("span", "fault", { style: "--mark: var(--fault)" }),
        make("span", "message", { style: "--mark: var(--accent)" }),
        make("span", "lost", { style: "--mark: var(--bad)" }));
    };
    const isDark = () => {
      const chosen = document.documentElement.dataset.theme;
      return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    };
    const connect = () => {
      const actions = { in: () => zoom(0.5), out: () => zoom(2), left: () => pan(-0.3),
        right: () => pan(0.3), all: () => show(0, duration), previous: () => findNext(-1),
        next: () => findNext(1), theme: () => {
          document.documentElement.dataset.theme = isDark() ? "light" : "dark";
          redraw();
        } };
      for (const [id, action] of Object.entries(actions)) byId(id).addEventListener("click", action);
      byId("search").addEventListener("input", search);
      byId("search").addEventListener("keydown", (event) => {
        if (event.key === "Enter") findNext(event.shiftKey ? -1 : 1);
      });
      byId("eventTable").addEventListener("toggle", () => {
        if (byId("eventTable").open) showSelected();
      });
      for (const button of document.querySelectorAll(".jump"))
        button.addEventListener("click", () => {
          showFailure(runs[button.dataset.run], button.dataset.failure);
          byId("eventTable").open = true;
          showSelected();
          byId("timeline").scrollIntoView();
        });
      runs.forEach(listen);
      addEventListener("resize", redraw);
      matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
      const theme = { chosen: undefined };
      addEventListener("beforeprint", () => {
        theme.chosen = document.documentElement.dataset.theme;
        document.documentElement.dataset.theme = "light";
        draw();
      });
      addEventListener("afterprint", () => {
        if (theme.chosen) document.documentElement.dataset.theme = theme.chosen;
        else delete document.documentElement.dataset.theme;
        draw();
      });
    };
    /// Shows the moment of a failure with the events before it, and selects its event.
    const showFailure = (run, index) => {
      const [, time, number] = run.failures[index], event = run.at(number);
      const first = run.events[firstAt(run, time) - Math.max(60, 10 * run.names.length)];
      const half = Math.min(duration / 8, Math.max(2e4, time - (first ? first.time : 0)));
      show(Math.min(time - half, event ? event.time - half / 10 : time), time + half / 2);
      if (event) select(run, number);
    };
    const selfTest = () => {
      const run = runs[0], report = { events: run.events.length, hits: run.hits.length };
      const moment = run.failures[0]?.[1];
      report.opensAtFailure = view.start <= moment && moment <= view.end && view.selected !== null;
      byId("all").click();
      document.querySelector(".jump")?.click();
      report.jumps = view.start <= moment && moment <= view.end;
      report.row = Number(byId("events").querySelector(".selected button")?.textContent ?? -1);
      report.isFailure = report.row === run.failures[0]?.[2];
      report.frames = run.events.filter((event) => frames(run, event)).length;
      byId("all").click();
      const note = run.events.find((event) => event.kind === "note" && event.cause >= 0)
        ?? run.events[run.events.length - 1];
      byId("in").click(); byId("in").click();
      report.zoomed = (view.end - view.start) / duration;
      byId("search").value = note ? note.label : "";
      byId("search").dispatchEvent(new Event("input"));
      report.found = view.found.length;
      byId("next").click();
      report.selected = view.selected;
      report.chain = note ? causes(run, note).length : 0;
      const sent = run.events.find((event) => event.kind === "delivered"
        && payloadOf(run, event) >= 0);
      if (sent) select(run, sent.number);
      report.bytes = byId("details").querySelector("pre")?.textContent.length ?? 0;
      const box = document.querySelector("[data-kind=sent]");
      box.click();
      report.hides = view.found.every(([, event]) => event.kind !== "sent");
      box.click();
      byId("eventTable").open = true; showTable(0);
      report.rows = byId("events").querySelectorAll("tbody tr").length;
      const last = runs[runs.length - 1];
      byId("search").value = "";
      search();
      select(last, view.found.find(([run]) => run === last)[1].number);
      report.runOfRow = byId("events").querySelector(".selected .run")?.textContent;
      report.heading = byId("details").querySelector("h3").textContent;
      byId("theme").click();
      report.theme = document.documentElement.dataset.theme;
      byId("lanes0").dispatchEvent(new KeyboardEvent("keydown", { key: "0" }));
      report.whole = view.end - view.start === duration;
      draw();
      report.firstPaint = performance.getEntriesByType("paint")
        .find((entry) => entry.name === "first-contentful-paint")?.startTime ?? null;
      report.parts = data.parting >= 0;
      report.plots = document.querySelectorAll(".plots svg").length;
      report.streamLines = document.querySelectorAll(".plots polyline.stream").length;
      report.fileLines = document.querySelectorAll(".plots polyline.file").length;
      report.standstills = document.querySelectorAll(".plots rect.standstill").length;
      byId("selftest").textContent = JSON.stringify(report);
    };
    /// An address that ends in `#event=7` shows that event from near by.
    const follow = () => {
      const number = /^#event=(\d+)$/.exec(location.hash)?.[1];
      const event = number === undefined ? undefined : runs[0].at(Number(number));
      if (!event) return;
      show(event.time - duration / 400, event.time + duration / 400);
      select(runs[0], event.number);
    };
    drawLegend();
    noDetails();
    makeFilters();
    connect();
    search();
    if (!runs.some((run) => run.failures.length)) draw();
    runs.forEach(drawPlots);
    const failed = runs.find((run) => run.failures.length);
    if (failed) { showFailure(failed, 0); draw(); }
    follow();
    addEventListener("hashchange", follow);
    document.documentElement.dataset.ready = "yes";
    if (location.hash === "#selftest") setTimeout(selfTest, 300);
    """#
}
