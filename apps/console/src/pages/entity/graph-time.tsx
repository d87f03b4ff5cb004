import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Instant } from '../../parts/instant.tsx';
import type { GraphSpan } from './graph-model.ts';

/** Steps of the slider: finer ones cannot be set by hand. */
const steps = 200;

interface GraphTimeProps {
  readonly span: GraphSpan;
  readonly untilMs: number;
  readonly onChange: (untilMs: number) => void;
}

/** Time slider: shows only links that existed at an instant. */
export function GraphTime({ span, untilMs, onChange }: GraphTimeProps): ReactElement {
  const { t } = useTranslation();
  const { firstMs, lastMs } = span;
  const at = Math.min(lastMs, untilMs);
  return (
    <label className="ml-auto flex items-center gap-3 text-xs text-soft">
      {t('entity.until')}
      <input
        type="range"
        aria-label={t('entity.graphTime')}
        min={0}
        max={steps}
        value={Math.round(((at - firstMs) / (lastMs - firstMs)) * steps)}
        onChange={({ target }) => {
          const step = target.valueAsNumber;
          onChange(step === steps ? Infinity : firstMs + ((lastMs - firstMs) * step) / steps);
        }}
        className="w-64 accent-fence"
      />
      <span className="w-44 text-ink">
        <Instant at={new Date(at).toISOString()} />
      </span>
    </label>
  );
}
