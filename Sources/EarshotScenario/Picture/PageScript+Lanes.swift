extension PageScript {
  /// The lanes of peers with their states, and what goes from one to another.
  static let lanes = #"""
    const drawStates = (pen, run, place) => {
      const thickness = Math.min(12, laneHeight(run) / 2);
      run.names.forEach((name, lane) => {
        const y = laneY(run, place, lane);
        pen.fillStyle = colours.text;
        pen.fillText(clipMiddle(pen, name, gutter - 12), 6, y);
        pen.strokeStyle = colours.line;
        pen.beginPath(); pen.moveTo(gutter, y); pen.lineTo(place.width, y); pen.stroke();
      });
      for (const [lane, state, start, end] of run.states) {
        const name = run.texts[state], y = laneY(run, place, lane);
        const from = Math.max(gutter, scale(place, start)), to = scale(place, end);
        if (to < gutter || from > place.width) continue;
        pen.fillStyle = colours[name];
        pen.fillRect(from, y - thickness / 2, Math.max(1, to - from), thickness);
      }
    };
    /// The names of states, above the arrows.
    const drawStateNames = (pen, run, place) => {
      const thickness = Math.min(12, laneHeight(run) / 2);
      if (thickness < 10) return;
      for (const [lane, state, start, end] of run.states) {
        const name = run.texts[state], y = laneY(run, place, lane);
        const from = Math.max(gutter, scale(place, start));
        const to = Math.min(place.width, scale(place, end));
        if (to - from < 60) continue;
        const text = clip(pen, name, to - from - 8);
        pen.fillStyle = colours[name];
        pen.fillRect(from, y - thickness / 2, pen.measureText(text).width + 8, thickness);
        pen.fillStyle = colours.back;
        pen.fillText(text, from + 4, y + 0.5);
      }
    };
    const arrow = (pen, x1, y1, x2, y2) => {
      pen.beginPath(); pen.moveTo(x1, y1); pen.lineTo(x2, y2);
      const length = Math.hypot(x2 - x1, y2 - y1) || 1;
      const dx = (x2 - x1) / length * 5, dy = (y2 - y1) / length * 5;
      pen.moveTo(x2 - dx - dy / 2, y2 - dy + dx / 2); pen.lineTo(x2, y2);
      pen.lineTo(x2 - dx + dy / 2, y2 - dy - dx / 2); pen.stroke();
    };
    const drawMessages = (pen, run, place) => {
      if (view.hidden.has("message")) return;
      const shown = run.messages.filter(([, , sent, arrived]) =>
        sent <= view.end && Math.max(sent, arrived) >= view.start);
      pen.globalAlpha = shown.length > 2000 ? 0.12 : shown.length > 300 ? 0.35 : 0.9;
      for (const [from, to, sent, arrived, sentEvent, arrivedEvent] of shown) {
        const x1 = scale(place, sent), y1 = laneY(run, place, from);
        const isLost = arrived < 0;
        const x2 = isLost ? x1 + 8 : scale(place, arrived), y2 = isLost ? y1 : laneY(run, place, to);
        pen.strokeStyle = isLost ? colours.bad : colours.accent;
        arrow(pen, x1, y1, x2, y2);
        if (shown.length < 3000)
          run.hits.push([x1, y1, x2, y2, isLost ? sentEvent : arrivedEvent]);
      }
      pen.globalAlpha = 1;
    };
    const drawEvents = (pen, run, place) => {
      const first = firstAt(run, view.start), end = firstAt(run, view.end + 1);
      const areArrows = end - first < 900, areHits = end - first < 5000, names = [];
      for (let index = first; index < end; index++) {
        const event = run.events[index], lane = event.kind === "delivered" || event.kind === "lost"
          ? event.to : event.from;
        if (view.hidden.has(event.kind) || lane < 0) continue;
        const x = scale(place, event.time), y = laneY(run, place, lane);
        const reach = laneHeight(run) / 2 - 3;
        if (areHits) run.hits.push([x, y, x, y, event.number]);
        if (event.kind === "lost") {
          pen.strokeStyle = colours.bad;
          pen.beginPath(); pen.moveTo(x - 3, y - reach - 1); pen.lineTo(x + 3, y - reach + 5);
          pen.moveTo(x + 3, y - reach - 1); pen.lineTo(x - 3, y - reach + 5); pen.stroke();
        } else if (event.kind === "note") {
          pen.fillStyle = colours.text; pen.fillRect(x - 1, y + reach - 3, 3, 3);
        } else if (event.kind === "fault") {
          pen.fillStyle = colours.fault; pen.fillRect(x - 2, y - reach, 4, 2 * reach);
        } else {
          pen.strokeStyle = colours.dim; pen.globalAlpha = areArrows ? 0.6 : 0.3;
          const sent = event.kind === "delivered" && areArrows ? run.at(event.cause) : undefined;
          if (sent && sent.from >= 0) {
            const start = scale(place, sent.time), top = laneY(run, place, sent.from);
            arrow(pen, start, top, x, y);
            if (sent.frames && sent.from !== lane) names.push([sent.frames, (start + x) / 2, (top + y) / 2]);
          } else {
            pen.beginPath(); pen.moveTo(x, y - reach); pen.lineTo(x, y - reach + 4); pen.stroke();
          }
          pen.globalAlpha = 1;
        }
      }
      drawFrameNames(pen, names);
    };
    /// The frames beside the arrows of packets, where these are few and have room.
    const drawFrameNames = (pen, names) => {
      if (names.length > 60) return;
      const taken = [];
      for (const [name, x, y] of names) {
        const text = clip(pen, name, 150), width = pen.measureText(text).width;
        if (taken.some(([left, right, middle]) =>
          x < right + 4 && x + width + 4 > left && Math.abs(y - middle) < 13)) continue;
        taken.push([x, x + width + 4, y]);
        pen.globalAlpha = 0.85; pen.fillStyle = colours.back;
        pen.fillRect(x + 2, y - 6, width + 2, 12);
        pen.globalAlpha = 1; pen.fillStyle = colours.text; pen.fillText(text, x + 3, y);
      }
    };
    const drawPairs = (pen, run, place) => {
      const pairs = shownPairs(run);
      if (!pairs.length) return;
      pen.fillStyle = colours.dim;
      pen.fillText(pairs.length < run.pairs.length ? "connected (" + pairs.length + " of "
        + run.pairs.length + " pairs)" : "connected", 6, place.pairTop - 10);
      pairs.forEach((pair, row) => {
        const y = place.pairTop + row * pairHeight, spans = pair[2];
        pen.fillStyle = colours.dim;
        pen.fillText(clipMiddle(pen, pairName(run, pair), gutter - 12), 6, y + 5);
        pen.fillStyle = colours.line; pen.fillRect(gutter, y + 3, place.width - gutter, 3);
        pen.fillStyle = colours.connected;
        for (const [start, end] of spans) {
          const from = Math.max(gutter, scale(place, start)), to = scale(place, end);
          if (to > gutter && from < place.width) pen.fillRect(from, y + 1, Math.max(1, to - from), 7);
        }
      });
    };
    """#
}
