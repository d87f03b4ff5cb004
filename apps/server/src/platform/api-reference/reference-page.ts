import { escape } from './html.ts';

export interface ReferencePage {
  readonly title: string;
  /** HTML under the heading. */
  readonly lead: string;
  /** Ids of the sections. */
  readonly sections: readonly string[];
  /** HTML of the sections. */
  readonly main: string;
}

/**
 * A reference as one HTML page without scripts or external resources, so that it can be read under the strictest
 * content security policy and without a network.
 */
export function referencePage({ title, lead, sections, main }: ReferencePage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title>
<link rel="stylesheet" href="/docs/docs.css">
</head>
<body>
<header><h1>Ringfence</h1><p>${lead}</p></header>
<nav>${sections.map((id) => `<a href="#${id}">${id}</a>`).join(' ')}</nav>
<main>
${main}
</main>
</body>
</html>
`;
}

export const referenceStyle = `
:root { color-scheme: light dark; --line: #8884; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 0 auto; padding: 1rem 1.5rem 4rem; }
nav { position: sticky; top: 0; background: Canvas; border-bottom: 1px solid var(--line); padding: .5rem 0; }
nav a { margin-right: 1rem; }
h2 { margin-top: 3rem; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th, td { border-bottom: 1px solid var(--line); padding: .35rem .6rem .35rem 0; text-align: left; vertical-align: top; overflow-wrap: break-word; }
td:nth-child(n + 4) { overflow-wrap: anywhere; }
code, pre { font: .9em ui-monospace, monospace; }
pre { border: 1px solid var(--line); padding: 1rem; overflow-x: auto; }
@media (max-width: 60rem) { table { display: block; overflow-x: auto; } li, p { overflow-wrap: anywhere; } }
`;
