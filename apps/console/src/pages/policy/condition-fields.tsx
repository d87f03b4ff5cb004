import { Plus } from 'lucide-react';
import { type ReactElement, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../parts/button.tsx';
import { ConditionField } from '../events/condition-field.tsx';
import { ConditionRows } from './condition-rows.tsx';
import { NewFeatureFields } from './new-feature.tsx';
import { inRows, type RuleCondition, type Written } from './use-rule-condition.ts';

interface ConditionFieldsProps {
  readonly of: RuleCondition;
  /** The file of the rule: a policy without features gets its first one there. */
  readonly path: string;
}

/** The condition of a rule, in rows or as text, and a form for a feature that it needs. */
export function ConditionFields({ of, path }: ConditionFieldsProps): ReactElement {
  const { t } = useTranslation();
  const { written, change, words, mistakes, text, files } = of;
  const [isAdding, setAdding] = useState(false);
  /** The button that has the focus when it is drawn again. */
  const [focused, setFocused] = useState<'feature' | 'form'>();
  const [added, setAdded] = useState<{ readonly name: string; readonly file: string }>();
  const close = (): void => {
    setFocused('feature');
    setAdding(false);
  };
  const tools = (
    <>
      {isAdding ? null : (
        <Button small autoFocus={focused === 'feature'} onClick={() => setAdding(true)}>
          <Plus aria-hidden className="size-3.5" />
          {t('builder.feature')}
        </Button>
      )}
      <OtherForm of={of} isFocused={focused === 'form'} onSwitch={() => setFocused('form')} />
    </>
  );
  return (
    <div className="flex flex-col gap-2">
      {written.as === 'rows' ? (
        <ConditionRows
          label={t('builder.fires')}
          condition={written.condition}
          words={words}
          mistakes={mistakes}
          onChange={(condition) => change({ as: 'rows', condition })}
        >
          {tools}
        </ConditionRows>
      ) : (
        <TextFields of={of} text={written.text}>
          {tools}
        </TextFields>
      )}
      {isAdding ? (
        <NewFeatureFields
          files={files}
          path={path}
          words={words}
          onAdd={(name, file) => {
            of.addFeature(name, file);
            setAdded({ name, file: file.path });
            close();
          }}
          onClose={close}
        />
      ) : null}
      <p role="status" className="text-xs text-soft empty:hidden">
        {added === undefined ? '' : t('builder.featureAdded', added)}
      </p>
      {written.as === 'rows' ? (
        <p className="flex flex-col gap-1">
          <span className="text-xs font-medium text-soft">{t('builder.compared')}</span>
          <code className="rounded bg-sunken p-2 font-mono text-xs break-words">{text}</code>
        </p>
      ) : null}
      <ul role="alert" className="text-bad empty:hidden">
        {mistakes.others.map((one) => (
          <li key={one}>{one}</li>
        ))}
      </ul>
    </div>
  );
}

interface TextFieldsProps extends Pick<ConditionFieldsProps, 'of'> {
  readonly text: string;
  readonly children: ReactNode;
}

/** A condition in the policy language. */
function TextFields({ of: { files, change }, text, children }: TextFieldsProps): ReactElement {
  const { t } = useTranslation();
  return (
    <>
      <p aria-hidden className="text-xs font-medium text-soft">
        {t('policy.part.when')}
      </p>
      <ConditionField
        text={text}
        files={files}
        onChange={(typed) => change({ as: 'text', text: typed })}
        onSubmit={() => undefined}
      />
      {inRows(text) === undefined ? <p className="text-xs text-soft">{t('builder.textHint')}</p> : null}
      <div className="flex flex-wrap gap-2">{children}</div>
    </>
  );
}

interface OtherFormProps extends Pick<ConditionFieldsProps, 'of'> {
  readonly isFocused: boolean;
  readonly onSwitch: () => void;
}

/** Switches between rows and text. A text that does not fit into rows stays one. */
function OtherForm({ of: { written, change, text }, isFocused, onSwitch }: OtherFormProps): ReactElement {
  const { t } = useTranslation();
  const other: Written | undefined = written.as === 'rows' ? { as: 'text', text } : inRows(written.text);
  const turn = (): void => {
    if (other === undefined) return;
    onSwitch();
    change(other);
  };
  return (
    <Button look="quiet" small autoFocus={isFocused} disabled={other === undefined} onClick={turn}>
      {t(written.as === 'rows' ? 'builder.asText' : 'builder.asRows')}
    </Button>
  );
}
