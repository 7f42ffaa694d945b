extension PageScript {
  /// Filters, search, and the table of what they leave.
  static let searching = #"""
    const filters = [["message", "messages"], ["sent", "sent"], ["delivered", "delivered"],
      ["lost", "lost"], ["note", "notes"], ["fault", "faults"], ["timer", "timers"]];
    const makeFilters = () => {
      for (const [kind, label] of filters) {
        const box = make("input", undefined, { type: "checkbox", "data-kind": kind });
        box.checked = !view.hidden.has(kind);
        box.addEventListener("change", () => {
          if (box.checked) view.hidden.delete(kind); else view.hidden.add(kind);
          search();
          redraw();
        });
        const words = make("label");
        words.append(box, " " + label);
        byId("filters").append(words);
      }
    };
    const matches = (run, event, query) => !view.hidden.has(event.kind)
      && (!query || sentence(run, event).toLowerCase().includes(query));
    const search = () => {
      view.query = byId("search").value.trim().toLowerCase();
      view.found = [];
      for (const run of runs) for (const event of run.events)
        if (matches(run, event, view.query)) view.found.push([run, event]);
      byId("found").textContent = view.query ? view.found.length + " found" : "";
      if (byId("eventTable").open) showSelected();
    };
    const findNext = (direction) => {
      if (!view.found.length) return;
      const now = view.found.findIndex(([run, event]) =>
        run === view.run && event.number === view.selected);
      const place = now < 0 ? direction > 0 ? 0 : view.found.length - 1
        : (now + direction + view.found.length) % view.found.length;
      select(view.found[place][0], view.found[place][1].number);
    };
    const pageRows = 200;
    const showTable = (page) => {
      const pages = Math.max(1, Math.ceil(view.found.length / pageRows));
      const table = make("table"), head = make("tr"), body = make("tbody");
      for (const name of ["number", ...(runs.length > 1 ? ["run"] : []), "seconds", "kind", "from", "to", "frames", "what", "cause"])
        head.append(make("th", name, { scope: "col" }));
      for (const [run, event] of view.found.slice(page * pageRows, (page + 1) * pageRows)) {
        const row = make("tr"), cell = make("td");
        if (run === view.run && event.number === view.selected) row.className = "selected";
        const button = make("button", String(event.number), { type: "button" });
        button.addEventListener("click", () => select(run, event.number));
        cell.append(button);
        row.append(cell);
        if (runs.length > 1) row.append(make("td", run.title, { class: "run" }));
        for (const text of [String(event.time / 1e6), event.kind, host(run, event.from),
          host(run, event.to), frames(run, event), event.label + " " + event.detail,
          event.cause < 0 ? "" : String(event.cause)]) row.append(make("td", text));
        body.append(row);
      }
      const top = make("thead");
      top.append(head);
      table.append(make("caption", "Page " + (page + 1) + " of " + pages), top, body);
      const turn = (label, to) => {
        const button = make("button", label, { type: "button" });
        button.disabled = to < 0 || to >= pages;
        button.addEventListener("click", () => showTable(to));
        return button;
      };
      const frame = make("div", undefined, { class: "scroll" });
      frame.append(table);
      byId("events").replaceChildren(turn("Previous page", page - 1), turn("Next page", page + 1),
        frame);
      const chosen = body.querySelector(".selected");
      if (chosen) frame.scrollTop = chosen.offsetTop - frame.clientHeight / 2;
    };
    /// Shows the page of the table with the selected event, or with the one after it.
    const showSelected = () => {
      const place = view.selected === null ? 0 : view.found.findIndex(([run, event]) =>
        run === view.run && event.number >= view.selected);
      showTable(Math.floor(Math.max(0, place) / pageRows));
    };
    """#
}
