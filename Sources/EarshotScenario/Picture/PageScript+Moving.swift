extension PageScript {
  /// Drawing all, and moving through time.
  static let moving = #"""
    const font = "11px system-ui, sans-serif";
    const widthOf = (run) => Math.max(320, byId("lanes" + run.index).clientWidth);
    const drawRun = (run) => {
      const canvas = byId("lanes" + run.index), ratio = window.devicePixelRatio || 1;
      const place = layout(run, widthOf(run));
      canvas.style.height = place.height + "px";
      [canvas.width, canvas.height] = [place.width * ratio, place.height * ratio];
      const pen = canvas.getContext("2d");
      pen.scale(ratio, ratio);
      pen.fillStyle = colours.back; pen.fillRect(0, 0, place.width, place.height);
      pen.font = font; pen.textBaseline = "middle"; pen.lineWidth = 1;
      run.hits = [];
      drawRuler(pen, place);
      pen.save(); pen.beginPath(); pen.rect(gutter, 0, place.width - gutter, place.height);
      pen.restore();
      drawFaults(pen, run, place);
      drawStates(pen, run, place);
      drawPairs(pen, run, place);
      pen.save(); pen.beginPath();
      pen.rect(gutter, rulerHeight, place.width - gutter, place.laneBottom - rulerHeight); pen.clip();
      drawEvents(pen, run, place);
      drawMessages(pen, run, place);
      pen.restore();
      drawStateNames(pen, run, place);
      for (const gap of gapsOf(run)) drawGap(pen, place, gap);
      drawMarks(pen, run, place);
      byId("caption" + run.index).textContent = captionOf(run);
    };
    /// The times of which no events are kept.
    const gapsOf = (run) => run.gaps ??= run.events.flatMap((event, place) => {
      const last = run.events[place - 1];
      return last && event.number > last.number + 1 ? [[last.time, event.time]] : [];
    });
    const drawGap = (pen, place, [start, end]) => {
      if (end < view.start || start > view.end) return;
      const from = Math.max(gutter, scale(place, start));
      const to = Math.min(place.width, scale(place, end));
      pen.globalAlpha = 0.5; pen.fillStyle = colours.line;
      pen.fillRect(from, place.laneBottom + 2, Math.max(1, to - from), 13);
      pen.globalAlpha = 1; pen.fillStyle = colours.text;
      pen.fillText(clip(pen, "packets of this time are not kept", to - from - 6), from + 3,
        place.laneBottom + 9);
    };
    const captionOf = (run) => run.title + ": " + run.names.length + " peers, "
      + seconds(view.start) + " to " + seconds(view.end)
      + (run.events.length < run.eventCount ? "; " + run.events.length + " of " + run.eventCount
        + " events are kept" : "");
    const drawMarks = (pen, run, place) => {
      const mark = (time, colour, dashes) => {
        if (time < view.start || time > view.end) return;
        const x = scale(place, time);
        pen.strokeStyle = colour; pen.lineWidth = 1.5; pen.setLineDash(dashes);
        pen.beginPath(); pen.moveTo(x, rulerHeight - 6); pen.lineTo(x, place.height); pen.stroke();
        pen.setLineDash([]);
      };
      if (data.parting >= 0) {
        mark(data.parting, colours.bad, [5, 3]);
        if (data.parting >= view.start && data.parting <= view.end) {
          pen.fillStyle = colours.bad;
          pen.fillText("the runs part", scale(place, data.parting) + 4, place.markTop + 6);
        }
      }
      let edge = -1;
      run.failures.forEach(([, time], index) => {
        mark(time, colours.bad, [2, 2]);
        const x = scale(place, time), text = "✗ " + (index + 1);
        if (time < view.start || time > view.end || x < edge) return;
        const width = pen.measureText(text).width, left = Math.min(x + 3, place.width - width - 3);
        pen.fillStyle = colours.bad; pen.fillText(text, left, place.markTop + 6);
        edge = left + width + 4;
      });
      const event = view.run === run && view.selected !== null ? run.at(view.selected) : undefined;
      if (!event) return;
      mark(event.time, colours.accent, []);
      const lane = ["delivered", "lost"].includes(event.kind) ? event.to : event.from;
      if (lane < 0) return;
      pen.strokeStyle = colours.accent; pen.lineWidth = 2; pen.beginPath();
      pen.arc(scale(place, event.time), laneY(run, place, lane), 6, 0, 7); pen.stroke();
    };
    let isDue = false;
    const draw = () => {
      readColours();
      gutter = Math.max(...runs.map((run) => {
        const pen = byId("lanes" + run.index).getContext("2d");
        pen.font = font;
        return gutterOf(pen, run, widthOf(run));
      }));
      runs.forEach(drawRun);
    };
    const redraw = () => {
      if (isDue) return;
      isDue = true;
      requestAnimationFrame(() => { isDue = false; draw(); });
    };
    const show = (start, end) => {
      const length = Math.min(duration, Math.max(20, end - start));
      view.start = Math.max(0, Math.min(start, duration - length));
      view.end = view.start + length;
      redraw();
    };
    const zoom = (factor, about = (view.start + view.end) / 2) =>
      show(about - (about - view.start) * factor, about + (view.end - about) * factor);
    const pan = (share) => {
      const step = (view.end - view.start) * share;
      show(view.start + step, view.end + step);
    };
    const timeAt = (canvas, x) => view.start
      + (x - gutter) / Math.max(1, canvas.clientWidth - gutter) * (view.end - view.start);
    const hit = (run, x, y) => {
      let best = null, least = 9;
      for (const [x1, y1, x2, y2, number] of run.hits) {
        const square = (x2 - x1) ** 2 + (y2 - y1) ** 2;
        const part = square ? Math.max(0, Math.min(1,
          ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / square)) : 0;
        const distance = Math.hypot(x - x1 - part * (x2 - x1), y - y1 - part * (y2 - y1));
        if (distance < least) [best, least] = [number, distance];
      }
      return best;
    };
    const listen = (run) => {
      const canvas = byId("lanes" + run.index);
      let drag = null;
      canvas.addEventListener("wheel", (event) => {
        const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
        if (!isSideways && !event.ctrlKey && !event.metaKey) return;
        event.preventDefault();
        if (isSideways) pan(event.deltaX / 800);
        else zoom(1.0015 ** event.deltaY, timeAt(canvas, event.offsetX));
      }, { passive: false });
      canvas.addEventListener("pointerdown", (event) => {
        drag = { x: event.offsetX, start: view.start, end: view.end, moved: false };
        canvas.setPointerCapture(event.pointerId);
      });
      canvas.addEventListener("pointermove", (event) => {
        if (!drag) return;
        const shift = (drag.x - event.offsetX) / (canvas.clientWidth - gutter)
          * (drag.end - drag.start);
        drag.moved ||= Math.abs(drag.x - event.offsetX) > 4;
        if (drag.moved) show(drag.start + shift, drag.end + shift);
      });
      canvas.addEventListener("pointerup", (event) => {
        const number = drag && !drag.moved ? hit(run, event.offsetX, event.offsetY) : null;
        drag = null;
        if (number !== null) select(run, number);
      });
      canvas.addEventListener("keydown", (event) => {
        const action = { ArrowLeft: () => pan(-0.2), ArrowRight: () => pan(0.2), "+": () => zoom(0.5),
          "=": () => zoom(0.5), "-": () => zoom(2), "0": () => show(0, duration),
          n: () => step(run, 1), p: () => step(run, -1) }[event.key];
        if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        action();
      });
    };
    """#
}
