extension PageScript {
  /// What is known of the selected event: its fields, what led to it, what followed, its bytes.
  static let details = #"""
    const select = (run, number) => {
      const event = run.at(number);
      if (!event) return;
      view.run = run; view.selected = number;
      if (event.time < view.start || event.time > view.end) {
        const half = (view.end - view.start) / 2;
        show(event.time - half, event.time + half);
      }
      showDetails(run, event);
      if (byId("eventTable").open) showSelected();
      redraw();
    };
    /// Selects the next event that is shown, or the previous one.
    const step = (run, direction) => {
      let place = view.run === run && view.selected !== null
        ? run.places.get(view.selected) + direction
        : direction > 0 ? firstAt(run, view.start) : firstAt(run, view.end + 1) - 1;
      while (run.events[place] && view.hidden.has(run.events[place].kind)) place += direction;
      if (run.events[place]) select(run, run.events[place].number);
    };
    const link = (run, event) => {
      const button = make("button", "#" + event.number + "  " + sentence(run, event),
        { type: "button" });
      button.addEventListener("click", () => select(run, event.number));
      return button;
    };
    const causes = (run, event) => {
      const chain = [];
      for (let cause = event.cause; cause >= 0 && chain.length < 30;) {
        const earlier = run.at(cause);
        if (!earlier) { chain.push(cause); break; }
        chain.push(earlier);
        cause = earlier.cause;
      }
      return chain;
    };
    const hex = (text) => {
      const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
      const lines = [];
      for (let start = 0; start < bytes.length; start += 16) {
        const part = Array.from(bytes.slice(start, start + 16));
        lines.push(start.toString(16).padStart(4, "0") + "  "
          + part.map((byte) => byte.toString(16).padStart(2, "0")).join(" ").padEnd(48) + " "
          + part.map((byte) => byte > 31 && byte < 127 ? String.fromCharCode(byte) : ".").join(""));
      }
      return lines.join("\n");
    };
    const payloadOf = (run, event) => {
      const sent = event.kind === "sent" ? event
        : ["delivered", "lost"].includes(event.kind) ? run.at(event.cause) : undefined;
      return sent ? sent.payload : -1;
    };
    const noDetails = () => {
      byId("details").className = "idle";
      byId("details").replaceChildren(make("h3", "No event selected"),
        make("p", "Click one in the drawing or in the table, or search for it."));
    };
    const showDetails = (run, event) => {
      const panel = byId("details");
      panel.className = "";
      panel.replaceChildren(make("h3", "Event " + event.number
        + (runs.length > 1 ? " of " + run.title : "")));
      const list = make("dl");
      const fields = [["time", seconds(event.time)], ["kind", event.kind],
        ["from", host(run, event.from)], ["to", host(run, event.to)],
        ["frames", frames(run, event)], ["label", event.label], ["detail", event.detail]];
      for (const [name, value] of fields) if (value) list.append(make("dt", name), make("dd", value));
      panel.append(list);
      const chain = causes(run, event);
      if (chain.length) panel.append(make("h3", "What led to it"));
      // Of a timer that is due again and again, the last time.
      const shown = chain.filter((cause, place) =>
        cause.kind !== "timer" || chain[place - 1]?.kind !== "timer");
      for (const cause of shown)
        panel.append(typeof cause === "number" ? make("p", "event " + cause + ", which is not kept")
          : link(run, cause));
      const after = effects(run, event.number);
      if (after.length) panel.append(make("h3", "What followed"));
      for (const effect of after.slice(0, 20)) panel.append(link(run, effect));
      if (after.length > 20) panel.append(make("p", after.length - 20 + " more"));
      const payload = payloadOf(run, event);
      if (payload === -2) panel.append(make("p", "The page has no room for its bytes."));
      if (payload < 0) return;
      const [count, text] = run.payloads[payload];
      panel.append(make("h3", count > 512 ? "The first 512 of " + count + " bytes" : count + " bytes"),
        make("pre", hex(text), { tabindex: "0" }));
    };
    """#
}
