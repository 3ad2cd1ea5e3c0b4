/** Generates `variables.css` from the theme; used by its test only, never in a browser. */
import {
  defaultCssVariablesResolver,
  mergeMantineTheme,
  DEFAULT_THEME,
  type CSSVariablesResolver,
} from '@mantine/core';
import { theme } from './theme.ts';

/** Replaces Mantine's colours whose contrast is below WCAG 2.2 AA. */
const contrastResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-error': '#b3261e',
    '--mantine-color-placeholder': 'var(--mantine-color-gray-6)',
    '--mantine-color-default-border': 'var(--mantine-color-gray-5)',
    '--mantine-color-disabled-color': 'var(--mantine-color-gray-6)',
  },
  dark: {
    '--mantine-color-error': '#ff9b92',
    '--mantine-color-placeholder': 'var(--mantine-color-dark-2)',
    '--mantine-color-default-border': 'var(--mantine-color-dark-3)',
    '--mantine-color-disabled-color': 'var(--mantine-color-dark-2)',
  },
});

/** The style sheet of the theme: every variable that is not Mantine's default. */
export function themeCss(): string {
  const own = variablesOf(mergeMantineTheme(DEFAULT_THEME, theme));
  const standard = defaultCssVariablesResolver(DEFAULT_THEME);
  const rules = [
    rule([':root', ':host'], without(own.variables, standard.variables)),
    rule(schemeSelectors('dark'), without(own.dark, standard.dark)),
    rule(schemeSelectors('light'), without(own.light, standard.light)),
  ];
  return `/* Made from theme.ts. After a change there: vitest run shared/ui/theme -u */\n${rules.join('\n\n')}\n`;
}

function schemeSelectors(scheme: 'light' | 'dark'): string[] {
  const attribute = `[data-mantine-color-scheme='${scheme}']`;
  return [`:root${attribute}`, `:host(${attribute})`];
}

function rule(selectors: readonly string[], variables: Variables): string {
  const lines = Object.entries(variables).map(([name, value]) => `  ${name}: ${value};`);
  return `${selectors.join(',\n')} {\n${lines.join('\n')}\n}`;
}

type Variables = ReturnType<CSSVariablesResolver>['variables'];

function variablesOf(merged: typeof DEFAULT_THEME): ReturnType<CSSVariablesResolver> {
  const standard = defaultCssVariablesResolver(merged);
  const contrast = contrastResolver(merged);
  return {
    variables: standard.variables,
    light: { ...standard.light, ...contrast.light },
    dark: { ...standard.dark, ...contrast.dark },
  };
}

function without(variables: Variables, known: Variables): Variables {
  return Object.fromEntries(
    Object.entries(variables).filter(([name, value]) => (known as Record<string, string>)[name] !== value),
  );
}
