import type { ReactElement } from 'react';
import { CopyButton } from './copy-button.tsx';

interface CodeBlockProps {
  readonly text: string;
  readonly label: string;
  /** Wraps the text, so that a key or address is visible in full. */
  readonly wrap?: boolean;
}

/** Text to copy or compare literally. */
export function CodeBlock({ text, label, wrap }: CodeBlockProps): ReactElement {
  return (
    <div className="relative rounded-md border border-line bg-sunken">
      <div className="absolute top-1 right-1">
        <CopyButton text={text} />
      </div>
      {/* Focusable, because it scrolls. */}
      <pre
        tabIndex={0}
        aria-label={label}
        className={`max-h-96 overflow-auto p-3 pr-10 font-mono text-xs leading-5 ${wrap === true ? 'break-all whitespace-pre-wrap' : ''}`}
      >
        {text}
      </pre>
    </div>
  );
}
