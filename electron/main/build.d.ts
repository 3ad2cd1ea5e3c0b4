/** Set by the packaging: true in the build that the end-to-end tests drive, false in the product. */
declare const CAUSEWAY_TEST_BUILD: boolean;
