import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ModelExplanation } from '../../api/operations.generated.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { inputClass } from '../../parts/field.tsx';

type Language = keyof ModelExplanation['reasons'];

/** What raised the probability most, in words for a letter to the client, who may read another language. */
export function LetterReasons({ reasons }: Pick<ModelExplanation, 'reasons'>): ReactElement {
  const { t, i18n } = useTranslation();
  const [language, setLanguage] = useState<Language>(i18n.language === 'es' ? 'es' : 'en');
  const shown = reasons[language];
  if (shown.length === 0) return <></>;
  return (
    <section className="border-t border-line px-3 py-2 text-sm">
      <div className="flex flex-wrap items-center gap-2">
        <h4 className="font-medium">{t('model.letter')}</h4>
        <CopyButton text={shown.join('\n')} label={t('model.copy')} />
        <select
          aria-label={t('model.language')}
          className={`${inputClass} ml-auto w-auto py-0.5`}
          value={language}
          onChange={({ currentTarget }) => setLanguage(currentTarget.value === 'es' ? 'es' : 'en')}
        >
          <option value="en">English</option>
          <option value="es">Español</option>
        </select>
      </div>
      <ol lang={language} className="mt-1 list-decimal pl-5">
        {shown.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ol>
      <p className="mt-1 text-xs text-soft">{t('model.letterHint')}</p>
    </section>
  );
}
