// Says which day was the warmest. In a cold week it says "none": find out where.
#include <iostream>
#include <string>
#include <vector>

struct Day {
    std::string name;
    double celsius;
};

static std::string warmest(const std::vector<Day> &days)
{
    std::string name = "none";
    double highest = 0;
    for (const Day &day : days) {
        if (day.celsius > highest) {
            highest = day.celsius;
            name = day.name;
        }
    }
    return name;
}

int main()
{
    std::vector<Day> week = {{"Monday", -4.5}, {"Tuesday", -1.0}, {"Wednesday", -7.25}};
    std::cout << "warmest: " << warmest(week) << std::endl;
    return 0;
}
