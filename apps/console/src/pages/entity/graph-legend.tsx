import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

/** Same shapes as in `graph-style.ts`. */
const shapes = [
  { kind: 'client', look: 'fill-fence', points: '' },
  { kind: 'device', look: 'fill-cool', points: '1,2 11,2 11,10 1,10' },
  { kind: 'ip', look: 'fill-warn', points: '6,0 12,6 6,12 0,6' },
  { kind: 'payee', look: 'fill-watch', points: '3,1 9,1 12,6 9,11 3,11 0,6' },
  { kind: 'account', look: 'fill-soft', points: '6,0 12,5 10,12 2,12 0,5' },
] as const;

/** Legend of shapes. */
export function GraphLegend(): ReactElement {
  const { t } = useTranslation();
  return (
    <ul className="flex flex-wrap gap-x-4 text-xs text-soft">
      {shapes.map(({ kind, look, points }) => (
        <li key={kind} className="flex items-center gap-1.5">
          <svg aria-hidden viewBox="0 0 12 12" className={`size-3 ${look}`}>
            {points === '' ? <circle cx="6" cy="6" r="6" /> : <polygon points={points} />}
          </svg>
          {t(`entity.kind.${kind}`)}
        </li>
      ))}
    </ul>
  );
}
