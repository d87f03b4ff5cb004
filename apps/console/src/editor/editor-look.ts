import { EditorView } from '@codemirror/view';

/** The editor theme. CSS variables of the page also apply in its shadow root. */
export const editorLook = EditorView.theme({
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
