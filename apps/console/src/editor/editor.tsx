import { closeBrackets } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { type Diagnostic, linter } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import type { PolicyError } from '@ringfence/policy';
import { type ReactElement, useEffect, useRef } from 'react';
import { policyCompletions } from './completions.ts';
import { policyLanguage } from './policy-language.ts';

/** The editor theme. CSS variables of the page also apply in its shadow root. */
const editorLook = EditorView.theme({
  '&': { height: '100%', fontSize: '12.5px', color: 'var(--ink)', backgroundColor: 'var(--card)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'ui-monospace, "Liberation Mono", Menlo, monospace', lineHeight: '1.6' },
  '.cm-gutters': { backgroundColor: 'var(--card)', color: 'var(--soft)', border: 'none', paddingLeft: '6px' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--sunken)' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground, ::selection': {
    backgroundColor: 'var(--fence-wash)',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--card)',
    border: '1px solid var(--line-strong)',
    borderRadius: '8px',
    color: 'var(--ink)',
    fontFamily: '"Inter Variable", sans-serif',
    fontSize: '12.5px',
    boxShadow: '0 8px 28px rgb(0 0 0 / 0.16)',
    overflow: 'hidden',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--fence-wash)', color: 'var(--ink)' },
  '.cm-completionDetail': { color: 'var(--soft)', fontStyle: 'normal', marginLeft: '10px' },
  '.cm-completionInfo': { padding: '8px 10px', maxWidth: '340px' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--bad)' },
  '.cm-lintRange-warning': { backgroundImage: 'none', textDecoration: 'underline wavy var(--warn)' },
  '.cm-diagnostic': { padding: '6px 10px', borderLeft: '3px solid var(--bad)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--warn)' },
  '.cm-hint': { padding: '8px 10px', maxWidth: '380px', lineHeight: '1.45' },
  '.cm-hint code': { color: 'var(--fence)', fontWeight: '600' },
});

/** Delay after the last keystroke before the text is checked. */
const checkDelayMs = 200;

interface EditorProps {
  readonly label: string;
  readonly text: string;
  readonly readOnly: boolean;
  /** Initial line, from 1. */
  readonly line?: number | undefined;
  readonly onChange: (text: string) => void;
  /** Returns the errors of this text; called after each change. */
  readonly check: (text: string) => readonly PolicyError[];
  readonly ownNames: () => readonly string[];
  /** Ctrl+Enter. */
  readonly onSubmit?: () => void;
}

/**
 * The editor of one file. CodeMirror adopts style sheets in its shadow root; in the page itself it would add a style
 * element, which the content security policy refuses.
 */
export function Editor(props: EditorProps): ReactElement {
  const host = useRef<HTMLDivElement>(null);
  const current = useRef(props);
  current.current = props;
  useEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: 'open' });
    const { text, label, readOnly, line } = current.current;
    const view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({ doc: text, extensions: extensionsOf(label, readOnly, current) }),
    });
    view.dom.style.height = '100%';
    if (line !== undefined) show(view, line);
    // The list of errors below grows while the caret is at the end of the text.
    const sized = new ResizeObserver(() => view.hasFocus && keepCaret(view));
    sized.observe(host.current!);
    return () => {
      sized.disconnect();
      view.destroy();
    };
  }, []);
  return <div ref={host} className="editor h-full min-h-0" />;
}

function extensionsOf(label: string, readOnly: boolean, current: { readonly current: EditorProps }) {
  return [
    lineNumbers(),
    highlightActiveLine(),
    drawSelection(),
    history(),
    closeBrackets(),
    keymap.of([{ key: 'Mod-Enter', run: () => submit(current.current) }]),
    keymap.of([...defaultKeymap, ...historyKeymap]),
    policyLanguage,
    editorLook,
    policyCompletions(() => current.current.ownNames()),
    linter((view) => diagnostics(view, current.current.check(view.state.doc.toString())), { delay: checkDelayMs }),
    EditorState.readOnly.of(readOnly),
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) current.current.onChange(update.state.doc.toString());
    }),
  ];
}

function submit({ onSubmit }: EditorProps): boolean {
  onSubmit?.();
  return onSubmit !== undefined;
}

/** Marks an error from its position to the end of the word. */
function diagnostics(view: EditorView, errors: readonly PolicyError[]): readonly Diagnostic[] {
  const { doc } = view.state;
  return errors.map(({ line, column, message, suggestion, severity }) => {
    const row = doc.line(Math.min(Math.max(1, line), doc.lines));
    const from = Math.min(row.from + column - 1, row.to);
    const length = /^[\w.]+/.exec(row.text.slice(from - row.from))?.[0].length ?? 1;
    return {
      from,
      to: Math.min(from + length, row.to),
      severity,
      message: suggestion === undefined ? message : `${message}. ${suggestion}`,
    };
  });
}

function keepCaret(view: EditorView): void {
  view.dispatch({ effects: EditorView.scrollIntoView(view.state.selection.main.head, { yMargin: 20 }) });
}

function show(view: EditorView, line: number): void {
  const at = view.state.doc.line(Math.min(line, view.state.doc.lines)).from;
  view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'start', yMargin: 40 }) });
}
