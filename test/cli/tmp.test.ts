it('has a stack', () => {
  expect(process.env['TRAMITA_TEST_TEMPORAL_ADDRESS']).toMatch(/^127/);
  expect(process.env['TRAMITA_TEST_DATABASE_URL']).toMatch(/^postgres/);
});
