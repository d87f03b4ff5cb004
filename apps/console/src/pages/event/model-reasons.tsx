import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { ModelExplanation } from '../../api/operations.generated.ts';
import { useFormats } from '../../format/use-formats.ts';
import { LetterReasons } from './letter-reasons.tsx';
import { waterfallOf, type WaterfallBar } from './waterfall.ts';

/** One model: from the average of its training to its result for the event, input by input. */
export function ModelReasons({ model }: { readonly model: ModelExplanation }): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const { name, p, score, expected, margin, sha256 } = model;
  const { bars, from, to } = waterfallOf(model);
  return (
    <article className="rounded-md border border-line">
      <header className="flex flex-wrap items-baseline gap-x-4 gap-y-1 px-3 py-2 text-sm">
        <h3 className="font-medium">{name}</h3>
        <span>{t('model.probability', { p: formats.percent(p) })}</span>
        {score === undefined ? null : <span>{t('model.score', { score: formats.number(Number(score)) })}</span>}
        <code title={sha256} className="ml-auto font-mono text-xs text-soft">
          {sha256.slice(0, shownDigits)}
        </code>
      </header>
      <table className="w-full border-t border-line text-sm">
        <caption className="sr-only">{t('model.table', { name })}</caption>
        <thead>
          <tr className="text-left text-xs text-soft">
            <th className="px-3 py-1 font-medium">{t('model.input')}</th>
            <th className="px-3 py-1 text-right font-medium whitespace-nowrap">{t('model.contribution')}</th>
            <th className="w-2/5 px-3 py-1 font-medium max-sm:hidden" aria-hidden />
          </tr>
        </thead>
        <tbody>
          <End name={t('model.base')} value={expected} at={from} />
          {bars.map((bar) => (
            <Contribution key={bar.input.name} bar={bar} />
          ))}
          <End name={t('model.total')} value={margin} at={to} />
        </tbody>
      </table>
      <p className="border-t border-line px-3 py-2 text-xs text-soft">{t('model.logOdds')}</p>
      <LetterReasons reasons={model.reasons} />
    </article>
  );
}

/** Of the SHA-256: enough to tell two versions of a model apart. */
const shownDigits = 12;

function Contribution({ bar: { input, left, width } }: { readonly bar: WaterfallBar }): ReactElement {
  const { t, i18n } = useTranslation();
  const formats = useFormats();
  const value = input.value === undefined ? t('event.missingFact') : formats.number(input.value);
  const isRaising = input.contribution > 0;
  return (
    <tr className="border-t border-line align-top">
      <th scope="row" className="px-3 py-1.5 text-left font-normal">
        <span className="inline-block wrap-anywhere first-letter:uppercase">
          {input.words[i18n.language === 'es' ? 'es' : 'en']}
        </span>
        <code className="block font-mono text-xs break-words text-soft">
          {input.name} = {value}
          {input.name === input.text ? null : ` · ${input.text}`}
        </code>
      </th>
      <td className={`px-3 py-1.5 text-right tabular-nums ${isRaising ? 'text-bad' : 'text-fence'}`}>
        <Signed value={input.contribution} />
      </td>
      <td aria-hidden className="px-3 py-2 max-sm:hidden">
        <span className="relative block h-3">
          <span
            className={`absolute inset-y-0 rounded-sm ${isRaising ? 'bg-bad' : 'bg-fence'}`}
            style={{ left: `${left}%`, width: `${width}%` }}
          />
        </span>
      </td>
    </tr>
  );
}

interface EndProps {
  readonly name: string;
  readonly value: number;
  readonly at: number;
}

/** Where the inputs begin, and where they end. */
function End({ name, value, at }: EndProps): ReactElement {
  return (
    <tr className="border-t border-line bg-sunken">
      <th scope="row" className="px-3 py-1.5 text-left font-medium">
        {name}
      </th>
      <td className="px-3 py-1.5 text-right font-medium tabular-nums">
        <Signed value={value} />
      </td>
      <td aria-hidden className="px-3 py-2 max-sm:hidden">
        <span className="relative block h-3">
          <span className="absolute inset-y-0 w-0.5 bg-ink" style={{ left: `min(${at}%, 100% - 2px)` }} />
        </span>
      </td>
    </tr>
  );
}

function Signed({ value }: { readonly value: number }): ReactElement {
  const { i18n } = useTranslation();
  const format = new Intl.NumberFormat(i18n.language, {
    signDisplay: 'exceptZero',
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  });
  return <>{format.format(value)}</>;
}
