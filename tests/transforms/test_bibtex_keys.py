"""Keys of BibTeX entries as tools write them that do not read them back."""


def test_a_key_with_a_space_in_it_is_a_key(stage):
    staged = stage("@article{Taro TANAKA2023,\n  title = {Sorting Pebbles by Sound}\n}\n")
    assert (staged.fields[0]["source_key"], staged.fields[0]["title_raw"]) == ("Taro TANAKA2023", "Sorting Pebbles by Sound")
