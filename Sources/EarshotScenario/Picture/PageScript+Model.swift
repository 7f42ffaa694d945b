extension PageScript {
  /// The data, and what is shown of it.
  static let model = #"""
    const data = JSON.parse(document.getElementById("data").textContent);
    const kinds = ["timer", "sent", "lost", "delivered", "fault", "note"];
    const stateNames = ["waiting", "discovering", "connecting", "connected", "interrupted",
      "suspended", "frozen", "crashed", "stopped", "running"];
    const byId = (id) => document.getElementById(id);
    const make = (tag, text, attributes = {}) => {
      const element = document.createElement(tag);
      if (text !== undefined) element.textContent = text;
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
      return element;
    };
    const seconds = (time) => Math.round(time) / 1e6 + " s";
    const short = (time) => time >= 1e6 ? (time / 1e6).toPrecision(3) + " s"
      : time >= 1e3 ? (time / 1e3).toPrecision(3) + " ms" : Math.round(time) + " µs";

    const runs = data.runs.map((run, index) => {
      const events = run.events.map(([number, time, kind, from, to, cause, label, detail, payload,
        frames]) => ({ number, time, kind: kinds[kind], from, to, cause, label: run.texts[label],
          detail: run.texts[detail], payload, frames: run.texts[frames] ?? "" }));
      const places = new Map(events.map((event, place) => [event.number, place]));
      return { ...run, index, events, places, hits: [],
        at: (number) => events[places.get(number)] };
    });
    const duration = Math.max(1, ...runs.map((run) => run.duration));

    /// The times that are shown, the event that is selected, and what is hidden.
    const view = { start: 0, end: duration, run: runs[0], selected: null, hidden: new Set(["timer"]),
      query: "", found: [] };

    const effects = (run, number) => {
      run.effects ??= run.events.reduce((map, event) => {
        if (event.cause >= 0) (map.get(event.cause) ?? map.set(event.cause, []).get(event.cause))
          .push(event);
        return map;
      }, new Map());
      return run.effects.get(number) ?? [];
    };
    const host = (run, place) => place < 0 ? "" : run.names[place];
    /// The frames in a packet, where they are known: those that it was sent with.
    const frames = (run, event) => event.kind === "sent" ? event.frames
      : ["delivered", "lost"].includes(event.kind) ? run.at(event.cause)?.frames ?? "" : "";
    const sentence = (run, event) => {
      const from = host(run, event.from), to = host(run, event.to);
      const ends = to ? from + " → " + to : from;
      return [seconds(event.time), ends, event.kind, frames(run, event), event.label, event.detail]
        .filter((word) => word).join("  ");
    };
    /// The first event at a time or behind it, by bisection.
    const firstAt = (run, time) => {
      let low = 0, high = run.events.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (run.events[middle].time < time) low = middle + 1; else high = middle;
      }
      return low;
    };
    """#
}
