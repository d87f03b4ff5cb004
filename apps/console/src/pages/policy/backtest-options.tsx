import { loadPolicy, type PolicyFile, type PolicyParam } from '@ringfence/policy';
import { Play } from 'lucide-react';
import { type ReactElement, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../../format/use-formats.ts';
import { Button } from '../../parts/button.tsx';
import { Check, Choice, Field } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { HistorySource, NoHistory } from './history-source.tsx';

/** What a person asks of a backtest. */
export interface BacktestWish {
  /** Name of an imported history; `undefined` for the live log in the chosen time range. */
  readonly history: string | undefined;
  /** New rules in shadow run as if live. */
  readonly isAsLive: boolean;
  readonly vary: VaryWish | undefined;
}

interface VaryWish {
  readonly param: string;
  readonly from: number;
  readonly to: number;
  readonly steps: number;
}

export const firstWish: BacktestWish = { history: undefined, isAsLive: true, vary: undefined };

/** As the service allows. */
const stepBounds = { min: 2, max: 16 } as const;
const firstSteps = 8;

interface BacktestOptionsProps {
  readonly files: readonly PolicyFile[];
  readonly wish: BacktestWish;
  readonly onRun: (wish: BacktestWish) => void;
}

/** Source of the events, rules in shadow, and the parameter whose values are compared. */
export function BacktestOptions({ files, wish, onRun }: BacktestOptionsProps): ReactElement {
  const { t } = useTranslation();
  const [draft, setDraft] = useState(wish);
  const policy = useMemo(() => {
    const loaded = loadPolicy(files, { withTests: false });
    return loaded.ok ? loaded.policy : undefined;
  }, [files]);
  const hasShadow = policy?.rules.some(({ mode }) => mode === 'shadow') ?? false;
  return (
    <Form className="mb-4 flex flex-col gap-3 rounded-md bg-sunken p-3 text-sm" onSubmit={() => onRun(draft)}>
      <div className="flex items-end gap-3">
        <HistorySource
          log={t('tried.log')}
          history={draft.history}
          onChange={(history) => setDraft({ ...draft, history })}
        />
        <Vary params={policy?.params ?? []} vary={draft.vary} onChange={(vary) => setDraft({ ...draft, vary })} />
        <Button type="submit" look="main" className="ml-auto">
          <Play aria-hidden className="size-4" />
          {t('tried.run')}
        </Button>
      </div>
      <Range params={policy?.params ?? []} vary={draft.vary} onChange={(vary) => setDraft({ ...draft, vary })} />
      <NoHistory />
      {hasShadow ? (
        <Check
          label={t('tried.asLive')}
          hint={t('tried.asLiveHint')}
          checked={draft.isAsLive}
          onChange={({ target }) => setDraft({ ...draft, isAsLive: target.checked })}
        />
      ) : null}
    </Form>
  );
}

interface VaryProps {
  readonly params: readonly PolicyParam[];
  readonly vary: VaryWish | undefined;
  readonly onChange: (vary: VaryWish | undefined) => void;
}

/** The parameter whose values are compared. Nothing without a parameter that is a number. */
function Vary({ params, vary, onChange }: VaryProps): ReactElement | null {
  const { t } = useTranslation();
  const formats = useFormats();
  const numbers = params.filter(({ type }) => type === 'int' || type === 'decimal');
  if (numbers.length === 0) return null;
  const choose = (name: string): void => {
    const param = numbers.find((one) => one.name === name);
    onChange(param && { param: name, ...firstRange(param), steps: firstSteps });
  };
  return (
    <Choice
      label={t('tried.vary')}
      className="max-w-72 min-w-0"
      value={vary?.param ?? ''}
      onChange={({ target }) => choose(target.value)}
      options={[
        { value: '', label: t('tried.noVary') },
        ...numbers.map(({ name, value, unit }) => ({
          value: name,
          label: `${name} = ${[formats.amount(value), unit].filter(Boolean).join(' ')}`,
        })),
      ]}
    />
  );
}

/** The range of its values. */
function Range({ params, vary, onChange }: VaryProps): ReactElement | null {
  const { t } = useTranslation();
  if (vary === undefined) return null;
  const isWhole = params.find(({ name }) => name === vary.param)?.type === 'int';
  const bounds = { from: {}, to: { min: vary.from }, steps: stepBounds };
  return (
    <div className="flex gap-3">
      {(['from', 'to', 'steps'] as const).map((part) => (
        <Field
          key={part}
          label={t(`tried.${part}`)}
          className="w-28"
          type="number"
          required
          step={isWhole || part === 'steps' ? 1 : 'any'}
          value={Number.isNaN(vary[part]) ? '' : vary[part]}
          onChange={({ target }) => onChange({ ...vary, [part]: target.valueAsNumber })}
          {...bounds[part]}
        />
      ))}
    </div>
  );
}

/** From half of the present value to twice as much. */
function firstRange({ type, value }: PolicyParam): Pick<VaryWish, 'from' | 'to'> {
  const present = Number(value);
  if (present <= 0) return { from: present, to: present + 10 };
  const half = type === 'int' ? Math.max(1, Math.floor(present / 2)) : present / 2;
  return { from: half, to: type === 'int' ? Math.max(half + 1, present * 2) : present * 2 };
}
