extension PageScript {
  /// Where things are in a drawing, and how they look.
  static let drawing = #"""
    const rulerHeight = 22, faultHeight = 15, pairHeight = 14;
    /// The width of the names, which is that of the longest one if there is room.
    let gutter = 118;
    const pairName = (run, [left, right]) => run.names[left] + " ↔ " + run.names[right];
    const gutterOf = (pen, run, width) => {
      const names = run.names.concat(shownPairs(run).map((pair) => pairName(run, pair)));
      const longest = Math.max(0, ...names.map((name) => pen.measureText(name).width));
      return Math.min(Math.max(118, longest + 18), width * 0.3);
    };
    const colours = {};
    const readColours = () => {
      const style = getComputedStyle(document.documentElement);
      for (const name of ["back", "panel", "text", "dim", "line", "accent", "good", "bad", "fault",
        ...stateNames]) colours[name] = style.getPropertyValue("--" + name).trim();
    };
    const laneHeight = (run) => run.names.length > 40 ? 18 : run.names.length > 12 ? 30 : 46;
    const shownPairs = (run) => run.pairs.slice(0, 40);
    const layout = (run, width) => {
      const rows = Math.min(12, run.faults.length);
      const faultTop = rulerHeight, laneTop = faultTop + rows * faultHeight + 6;
      const laneBottom = laneTop + run.names.length * laneHeight(run);
      const markTop = laneBottom + 18, pairTop = laneBottom + 46;
      return { width, rows, faultTop, laneTop, laneBottom, markTop, pairTop,
        height: pairTop + shownPairs(run).length * pairHeight + 8 };
    };
    const scale = (place, time) =>
      gutter + (time - view.start) / (view.end - view.start) * (place.width - gutter);
    const laneY = (run, place, lane) => place.laneTop + (lane + 0.5) * laneHeight(run);

    const clip = (pen, text, width) => {
      if (pen.measureText(text).width <= width) return text;
      let end = text.length;
      while (end > 0 && pen.measureText(text.slice(0, end) + "…").width > width) end--;
      return end > 0 ? text.slice(0, end) + "…" : "";
    };
    /// Both ends of a name, since names of one kind often begin alike.
    const clipMiddle = (pen, text, width) => {
      if (pen.measureText(text).width <= width) return text;
      let kept = text.length - 1;
      const part = () => text.slice(0, Math.ceil(kept / 2)) + "…"
        + text.slice(text.length - Math.floor(kept / 2));
      while (kept > 1 && pen.measureText(part()).width > width) kept--;
      return part();
    };
    const ticks = (width) => {
      const least = (view.end - view.start) / Math.max(1, width / 90);
      let step = 10 ** Math.ceil(Math.log10(least));
      for (const part of [5, 2]) if (step / part >= least) { step /= part; break; }
      const times = [];
      for (let time = Math.ceil(view.start / step) * step; time <= view.end; time += step)
        times.push(time);
      return { step, times };
    };
    const drawRuler = (pen, place) => {
      const { step, times } = ticks(place.width - gutter);
      const digits = Math.max(0, 6 - Math.floor(Math.log10(step)));
      for (const time of times) {
        const x = scale(place, time);
        pen.strokeStyle = colours.line;
        pen.beginPath(); pen.moveTo(x, rulerHeight - 6); pen.lineTo(x, place.height); pen.stroke();
        pen.fillStyle = colours.dim;
        const text = (time / 1e6).toFixed(digits) + " s";
        if (x + 3 + pen.measureText(text).width < place.width)
          pen.fillText(text, x + 3, rulerHeight - 11);
      }
    };
    const drawFaults = (pen, run, place) => {
      const room = run.faults.length <= place.rows ? 400 : 90;
      run.faults.forEach(([start, end, phrase], index) => {
        const from = Math.max(gutter, scale(place, start)), to = scale(place, end);
        if (to < gutter || from > place.width) return;
        const width = Math.max(2, to - from);
        pen.globalAlpha = 0.1; pen.fillStyle = colours.fault;
        pen.fillRect(from, rulerHeight, width, place.laneBottom - rulerHeight);
        pen.globalAlpha = 0.75;
        const y = place.faultTop + index % Math.max(1, place.rows) * faultHeight;
        pen.fillRect(from, y, width, faultHeight - 3);
        pen.globalAlpha = 1; pen.fillStyle = colours.text;
        pen.fillText(clip(pen, phrase,
          Math.min(place.width - from - 6, Math.max(width - 6, room))), from + 3, y + faultHeight / 2 - 1);
      });
      if (place.rows) { pen.fillStyle = colours.dim; pen.fillText("faults", 6, place.faultTop + 7); }
    };
    """#
}
