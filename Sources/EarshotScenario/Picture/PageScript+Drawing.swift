extension PageScript {
  /// Where things are in a drawing, and how they look.
  static let drawing = #"""
    const gutter = 118, rulerHeight = 22, faultHeight = 15;
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
      const pairTop = laneBottom + 18;
      return { width, rows, faultTop, laneTop, laneBottom, pairTop,
        height: pairTop + shownPairs(run).length * 12 + 8 };
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
        pen.fillText((time / 1e6).toFixed(digits) + " s", x + 3, rulerHeight - 11);
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
