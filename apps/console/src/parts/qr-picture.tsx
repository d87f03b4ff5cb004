import { type ReactElement, useMemo } from 'react';
import { encode } from 'uqr';

interface QrPictureProps {
  readonly text: string;
  readonly label: string;
}

/** White modules on each side that scanners need. Source: ISO/IEC 18004, 5.3.8. */
const quiet = 4;
/** Whole pixels per module for sharp edges: phones at arm's length can read four. */
const modulePx = 4;

/** A QR code. Dark on white in both themes: many apps read nothing else. */
export function QrPicture({ text, label }: QrPictureProps): ReactElement {
  // Error correction M covers scratches and reflections of the screen.
  const { size, data } = useMemo(() => encode(text, { ecc: 'M', border: quiet }), [text]);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      width={size * modulePx}
      height={size * modulePx}
      shapeRendering="crispEdges"
      className="h-auto max-w-full self-center rounded-md"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={outline(data)} fill="#000" />
    </svg>
  );
}

/** A square for each dark module. */
function outline(rows: readonly (readonly boolean[])[]): string {
  return rows.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
}
