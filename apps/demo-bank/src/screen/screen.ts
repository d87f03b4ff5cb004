/** Output of the demo: permanent lines, and a progress line at the end. */
export interface Screen {
  line(text: string): void;
  progress(text: string): void;
  /** Clears the progress line. */
  clearProgress(): void;
}

export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Without a terminal, lines cannot be overwritten: progress is printed as a plain line at this interval. */
const plainProgressMs = 5_000;
const columnsAssumed = 80;
const clearLine = '\r\u001B[K';

export function openScreen(output: Output, nowMs: () => number): Screen {
  return output.isTTY === true ? terminalScreen(output) : plainScreen(output, nowMs);
}

function terminalScreen(output: Output): Screen {
  let shown = '';
  return {
    line: (text) => output.write(`${shown === '' ? '' : clearLine}${text}\n${shown}`),
    progress: (text) => {
      // One column less than the width: a wrapped line cannot be cleared.
      shown = text.slice(0, (output.columns ?? columnsAssumed) - 1);
      output.write(`${clearLine}${shown}`);
    },
    clearProgress: () => {
      if (shown !== '') output.write(clearLine);
      shown = '';
    },
  };
}

function plainScreen(output: Output, nowMs: () => number): Screen {
  let shownAtMs: number | undefined;
  return {
    line: (text) => output.write(`${text}\n`),
    progress: (text) => {
      shownAtMs ??= nowMs();
      if (nowMs() - shownAtMs < plainProgressMs) return;
      shownAtMs = nowMs();
      output.write(`${text}\n`);
    },
    clearProgress: () => undefined,
  };
}
