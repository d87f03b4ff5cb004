export interface ChartColours {
  readonly ink: string;
  readonly soft: string;
  readonly line: string;
  readonly lineStrong: string;
  readonly card: string;
  readonly sunken: string;
  readonly fence: string;
  readonly bad: string;
  readonly warn: string;
  readonly watch: string;
  readonly cool: string;
}

const names = [
  'ink',
  'soft',
  'line',
  'line-strong',
  'card',
  'sunken',
  'fence',
  'bad',
  'warn',
  'watch',
  'cool',
] as const;

/** The colours of the current theme: a canvas cannot read CSS variables. */
export function chartColours(): ChartColours {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(
    names.map((name) => [name === 'line-strong' ? 'lineStrong' : name, style.getPropertyValue(`--${name}`).trim()]),
  ) as unknown as ChartColours;
}

/** Options of all charts. Labels are drawn on the canvas: HTML labels need inline styles, which the CSP refuses. */
export function tooltipOf({ card, ink, line }: ChartColours) {
  return {
    renderMode: 'richText',
    backgroundColor: card,
    borderColor: line,
    borderWidth: 1,
    textStyle: { color: ink, fontSize: 12, fontFamily: 'Inter Variable' },
  } as const;
}
