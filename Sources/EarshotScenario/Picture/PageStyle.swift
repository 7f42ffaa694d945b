/// How a page looks: light or dark as the reader has it, and on paper.
enum PageStyle {
  /// The colours of light pages and drawings.
  static let light = """
    --back: #ffffff; --panel: #f5f6f8; --text: #1b1f24; --dim: #5b6470; --line: #d5dae1;
    --accent: #0b5cad; --good: #14713a; --bad: #b3261e; --fault: #b83295;
    --waiting: #c3c9d1; --discovering: #5b8def; --connecting: #8a63d2; --connected: #2c9a5b;
    --interrupted: #d99411; --suspended: #7f8793; --frozen: #4aa3b5; --crashed: #7c1d4f;
    --stopped: #4d545e; --running: #86a017;
    """

  /// The colours of dark ones.
  static let dark = """
    --back: #14171b; --panel: #1e2329; --text: #e7eaee; --dim: #9aa4b0; --line: #353c45;
    --accent: #6cb0ff; --good: #56c988; --bad: #ff8379; --fault: #e87fd0;
    --waiting: #4a525c; --discovering: #4f7fe0; --connecting: #9a78e0; --connected: #2f9e62;
    --interrupted: #c98a18; --suspended: #6d7682; --frozen: #3d93a5; --crashed: #d3483f;
    --stopped: #a7b0bc; --running: #9db52f;
    """

  static let text = """
    :root {
      color-scheme: light;
      \(light)
    }
    @media (prefers-color-scheme: dark) {
      :root:not([data-theme=light]) {
        color-scheme: dark;
        \(dark)
      }
    }
    :root[data-theme=dark] {
      color-scheme: dark;
      \(dark)
    }
    * { box-sizing: border-box; }
    body { margin: 0; background: var(--back); color: var(--text);
      font: 15px/1.5 system-ui, sans-serif; }
    header { display: flex; align-items: center; gap: 1rem; padding: .8rem 1.2rem;
      border-bottom: 1px solid var(--line); }
    h1 { font-size: 1.3rem; margin: 0; flex: 1; overflow-wrap: anywhere; }
    h2 { font-size: 1.05rem; margin: 1.2rem 0 .4rem; }
    main { padding: .4rem 1.2rem 2rem; }
    p { margin: .3rem 0; }
    code, pre, .failures td { overflow-wrap: anywhere; } td { overflow-wrap: break-word; }
    code, pre { font: 12.5px/1.45 ui-monospace, monospace; }
    .good { color: var(--good); } .bad { color: var(--bad); }
    .scroll { overflow-x: auto; }
    table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
    caption { text-align: left; color: var(--dim); padding: .3rem 0; }
    th, td { text-align: left; padding: .2rem .7rem .2rem 0; border-bottom: 1px solid var(--line);
      vertical-align: top; }
    th { color: var(--dim); font-weight: 600; }
    .failures td { padding-top: .4rem; padding-bottom: .4rem; }
    .failures td:first-child { white-space: nowrap; }
    .failures td:nth-child(2) { width: 34%; }
    .failures p { color: var(--dim); }
    .jump { color: var(--bad); border-color: var(--bad); }
    .failures summary { padding: 0; }
    .why { margin: 0; white-space: pre-wrap; }
    #tools { display: flex; flex-wrap: wrap; gap: .4rem; align-items: center; font-size: .85rem; }
    #tools label { white-space: nowrap; } #search { width: 9rem; }
    #tools input[type=checkbox] { vertical-align: -2px; margin: 0 .1rem 0 0; }
    button, input { font: inherit; color: inherit; background: var(--panel);
      border: 1px solid var(--line); border-radius: 5px; padding: .2rem .6rem; }
    button { cursor: pointer; }
    button:focus-visible, input:focus-visible, canvas:focus-visible, summary:focus-visible {
      outline: 2px solid var(--accent); outline-offset: 1px; }
    fieldset { border: 1px solid var(--line); border-radius: 5px; padding: 0 .6rem .2rem;
      display: flex; flex-wrap: wrap; gap: 0 .6rem; margin: 0; }
    legend { color: var(--dim); font-size: .8rem; padding: 0 .2rem; }
    #keys, figcaption { color: var(--dim); font-size: .85rem; }
    #legend { display: flex; flex-wrap: wrap; gap: .1rem .9rem; font-size: .85rem; }
    #legend span::before { content: ""; display: inline-block; width: .8em; height: .8em;
      margin-right: .35em; border-radius: 2px; background: var(--mark); }
    #stage { display: grid; grid-template-columns: minmax(0, 1fr) 21rem; gap: 1rem; }
    figure { margin: .4rem 0; }
    canvas { display: block; width: 100%; border: 1px solid var(--line); border-radius: 5px;
      touch-action: pan-y; cursor: crosshair; }
    aside { background: var(--panel); border-radius: 5px; padding: .6rem .8rem; font-size: .88rem;
      max-height: 80vh; overflow: auto; align-self: start; position: sticky; top: .5rem; }
    aside h3 { font-size: .95rem; margin: .6rem 0 .2rem; }
    aside h3:first-child { margin-top: 0; }
    aside dl { display: grid; grid-template-columns: auto 1fr; gap: 0 .7rem; margin: 0; }
    aside dt { color: var(--dim); } aside dd { margin: 0; overflow-wrap: anywhere; }
    aside button { display: block; width: 100%; text-align: left; margin: .15rem 0;
      background: none; border: 0; padding: .1rem 0; color: var(--accent); font-size: .85rem; }
    aside pre { margin: .2rem 0; white-space: pre; overflow-x: auto; }
    .plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(19rem, 1fr)); gap: 1rem; }
    .plots svg { width: 100%; height: auto; background: var(--panel); border-radius: 5px; }
    .plots text { fill: var(--dim); font: 10px system-ui, sans-serif; }
    .plots .title { fill: var(--text); font-size: 12px; }
    #events .scroll { max-height: 26rem; overflow-y: auto; position: relative; }
    #events .selected td { background: var(--panel); border-color: var(--accent); }
    #events td:nth-child(7) { font: 12px/1.4 ui-monospace, monospace; }
    summary { cursor: pointer; padding: .3rem 0; }
    @media (max-width: 60rem) {
      #stage { grid-template-columns: minmax(0, 1fr); }
      aside { position: static; max-height: none; }
      main, header { padding-left: .7rem; padding-right: .7rem; }
    }
    @media print {
      header button, #tools, #keys, #eventTable, .idle { display: none; }
      #stage { display: block; }
      aside { border: 1px solid var(--line); margin-top: .5rem; position: static;
        max-height: none; }
      figure, .plots svg, tr { break-inside: avoid; }
      body { font-size: 11px; }
    }
    """
}
