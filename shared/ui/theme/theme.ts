/**
 * The look of both consoles, as tokens for Mantine: dense, quiet, with enough contrast to be read all day.
 * `variables.css` is generated from this file (`theme-css.ts`), because a strict content security policy forbids style
 * sheets written at run time; `variables.test.ts` fails when the two differ.
 */
import { createTheme, type MantineColorsTuple } from '@mantine/core';

const steel: MantineColorsTuple = [
  '#eef4fb',
  '#dbe7f5',
  '#b4cdea',
  '#8ab1de',
  '#6699d3',
  '#4a85c8',
  '#3572b8',
  '#265d9e',
  '#1c4a82',
  '#143a69',
];

const gray: MantineColorsTuple = [
  '#f7f8fa',
  '#f0f2f5',
  '#e4e7ec',
  '#d5dae1',
  '#bcc3cd',
  '#7d8795',
  '#5d6775',
  '#4a5361',
  '#313945',
  '#1b2129',
];

const dark: MantineColorsTuple = [
  '#d9dde4',
  '#bcc2cc',
  '#9ea6b3',
  '#7b8492',
  '#454d5b',
  '#323945',
  '#272d36',
  '#1b1f26',
  '#15191f',
  '#0f1217',
];

export const theme = createTheme({
  primaryColor: 'steel',
  primaryShade: { light: 7, dark: 6 },
  colors: { steel, gray, dark },
  black: '#1b2129',
  fontFamily: "'Noto Sans KR', 'Noto Sans KR Variable', sans-serif",
  fontFamilyMonospace: "Consolas, 'DejaVu Sans Mono', monospace",
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  lineHeights: { xs: '1.4', sm: '1.45', md: '1.5', lg: '1.6', xl: '1.6' },
  spacing: { xs: '0.375rem', sm: '0.5rem', md: '0.75rem', lg: '1rem', xl: '1.5rem' },
  defaultRadius: 'sm',
  focusRing: 'auto',
  respectReducedMotion: true,
  headings: {
    fontFamily: 'var(--mantine-font-family)',
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.125rem', lineHeight: '1.4' },
      h2: { fontSize: '1rem', lineHeight: '1.4' },
      h3: { fontSize: '0.875rem', lineHeight: '1.45' },
    },
  },
  components: {
    Button: { defaultProps: { size: 'xs' } },
    TextInput: { defaultProps: { size: 'xs' } },
    Textarea: { defaultProps: { size: 'sm' } },
    NativeSelect: { defaultProps: { size: 'xs' } },
    Checkbox: { defaultProps: { size: 'xs' } },
    Radio: { defaultProps: { size: 'xs' } },
    // Mantine would write a style sheet to lock the page behind a dialog; the page itself never scrolls.
    ModalRoot: { defaultProps: { lockScroll: false, transitionProps: { duration: 0 } } },
    // Menus and popovers stay inside the landmark that opens them, and a menu holds only its items.
    Menu: {
      defaultProps: {
        shadow: 'sm',
        transitionProps: { duration: 0 },
        withinPortal: false,
        withInitialFocusPlaceholder: false,
      },
    },
    Popover: { defaultProps: { shadow: 'sm', transitionProps: { duration: 0 }, withinPortal: false } },
    Tooltip: {
      defaultProps: {
        events: { hover: true, focus: true, touch: true },
        transitionProps: { duration: 0 },
        multiline: true,
      },
    },
  },
});
