/** Set by the packaging: true in the build for the end-to-end tests, false in the product. */
declare const CAUSEWAY_TEST_BUILD: boolean;
